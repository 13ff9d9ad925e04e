import type { Postgres } from '@cairn/postgres';
import {
  chunksKept,
  decodeChunk,
  encodeChunk,
  filledChunks,
  type LoggedRequest,
  type RequestLogStore,
  requestsPerChunk,
} from '../requests/request-log-store.ts';

const steps = [
  `CREATE TABLE request_log (
    account_id text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    requests text NOT NULL,
    PRIMARY KEY (account_id, number)
  )`,
];

interface Row {
  readonly number: number;
  readonly requests: string;
}

class PostgresRequestLogStore implements RequestLogStore {
  readonly #database: Postgres;

  constructor(database: Postgres) {
    this.#database = database;
  }

  async append(accountId: string, requests: readonly LoggedRequest[]): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      // Processes append to the same chunk one after another.
      await transaction.run({ text: `SELECT pg_advisory_xact_lock(hashtextextended($1, 7))`, values: [accountId] });
      const text = 'SELECT number, requests FROM request_log WHERE account_id = $1 ORDER BY number DESC LIMIT 1';
      const { rows } = await transaction.run<Row>({ text, values: [accountId] });
      const [last] = rows;
      const filling = last === undefined ? [] : decodeChunk(last.requests);
      const isFull = filling.length >= requestsPerChunk;
      const first = last === undefined ? 0 : last.number + (isFull ? 1 : 0);
      const chunks = [...filledChunks(isFull ? [] : filling, requests)].map(encodeChunk);
      await transaction.run({
        text: `INSERT INTO request_log SELECT $1, $2 + place - 1, requests
               FROM unnest($3::text[]) WITH ORDINALITY AS added (requests, place)
               ON CONFLICT (account_id, number) DO UPDATE SET requests = EXCLUDED.requests`,
        values: [accountId, first, chunks],
      });
      const oldest = first + chunks.length - 1 - chunksKept;
      if (oldest > 0)
        await transaction.run({
          text: 'DELETE FROM request_log WHERE account_id = $1 AND number < $2',
          values: [accountId, oldest],
        });
    });
  }

  async *chunks(accountId: string): AsyncGenerator<readonly LoggedRequest[]> {
    let before = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const { rows } = await this.#database.read<Row>({
        text: `SELECT number, requests FROM request_log WHERE account_id = $1 AND number < $2
               ORDER BY number DESC LIMIT ${pageRows}`,
        values: [accountId, before],
      });
      for (const { requests } of rows) yield decodeChunk(requests).reverse();
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      before = last.number;
    }
  }

  /** The database belongs to its opener. */
  async close(): Promise<void> {}
}

/** Chunks that a listing reads at a time. */
const pageRows = 20;

/** Opens the request log in a database, and creates its table. @throws the errors of `Postgres.migrate` */
export async function openPostgresRequestLogStore(database: Postgres): Promise<RequestLogStore> {
  await database.migrate({ component: 'request-log', steps });
  return new PostgresRequestLogStore(database);
}
