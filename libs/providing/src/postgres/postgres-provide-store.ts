import { CID } from '@cairn/cid';
import type { Postgres } from '@cairn/postgres';
import { keyBytes, keyOf, type Region, regionEnd } from '../keyspace.ts';
import type { ProvideCounts, ProvideRecord, ProvideStore, Settlement } from '../provide-store.ts';
import { addStatement, lockStatement, provideSteps, removeStatement, settleStatement } from './provide-tables.ts';

const failuresMax = 255;
/** Changes of one statement: it holds its row locks for a few milliseconds. */
const sliceLength = 1000;
/** Key after all keys. */
const afterAll = Buffer.alloc(keyBytes + 1, 0xff);

interface RecordRow {
  readonly key: Uint8Array;
  readonly multihash: Uint8Array;
  readonly announced_at: number | null;
  readonly due_at: number;
  readonly failures: number;
}

/** Provider records in PostgreSQL. */
class PostgresProvideStore implements ProvideStore {
  readonly #database: Postgres;

  constructor(database: Postgres) {
    this.#database = database;
  }

  async add(cids: readonly CID[], { dueAt = 0 } = {}): Promise<number> {
    let added = 0;
    for (const slice of slices(cids)) {
      const multihashes = slice.map((cid) => cid.multihash.bytes);
      const { rows } = await this.#database.write<{ added: number }>({
        name: 'add-provide-records',
        text: addStatement,
        values: [multihashes.map(keyOf), multihashes, slice.map(({ bytes }) => bytes), dueAt],
      });
      added += rows[0]?.added ?? 0;
    }
    return added;
  }

  async remove(cids: readonly CID[]): Promise<number> {
    let removed = 0;
    for (const slice of slices(cids)) {
      const keys = slice.map((cid) => keyOf(cid.multihash.bytes));
      removed += await this.#database.transaction(async (transaction) => {
        await transaction.run({ name: 'lock-provide-records', text: lockStatement, values: [keys] });
        const { rows } = await transaction.run<{ removed: number }>({
          name: 'remove-provide-records',
          text: removeStatement,
          values: [keys, slice.map(({ bytes }) => bytes)],
        });
        return rows[0]?.removed ?? 0;
      });
    }
    return removed;
  }

  async has(cid: CID): Promise<boolean> {
    const { rows } = await this.#database.read({
      name: 'has-provide-cid',
      text: 'SELECT FROM provide_cids WHERE key = $1 AND cid = $2',
      values: [keyOf(cid.multihash.bytes), cid.bytes],
    });
    return rows.length > 0;
  }

  async get(key: Uint8Array): Promise<ProvideRecord | undefined> {
    const { rows } = await this.#database.read<RecordRow>({
      name: 'provide-record',
      text: 'SELECT * FROM provide_records WHERE key = $1',
      values: [key],
    });
    return rows[0] && recordOf(rows[0]);
  }

  async cidsOf(key: Uint8Array): Promise<readonly CID[]> {
    const { rows } = await this.#database.read<{ cid: Uint8Array }>({
      name: 'provide-cids',
      text: 'SELECT cid FROM provide_cids WHERE key = $1 ORDER BY cid',
      values: [key],
    });
    return rows.map(({ cid }) => CID.decode(cid));
  }

  async firstDue(sector: number): Promise<ProvideRecord | undefined> {
    const { rows } = await this.#database.read<RecordRow>({
      name: 'first-due-provide-record',
      text: 'SELECT * FROM provide_records WHERE get_byte(key, 0) >> 4 = $1 ORDER BY due_at, key LIMIT 1',
      values: [sector],
    });
    return rows[0] && recordOf(rows[0]);
  }

  async inRegion(
    region: Region,
    { after, limit }: { readonly after?: Uint8Array | undefined; readonly limit: number },
  ): Promise<readonly ProvideRecord[]> {
    const start = after === undefined ? region.start : Buffer.concat([after, Buffer.of(0)]);
    const { rows } = await this.#database.read<RecordRow>({
      name: 'provide-records-in-region',
      text: 'SELECT * FROM provide_records WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3',
      values: [start, regionEnd(region) ?? afterAll, limit],
    });
    return rows.map(recordOf);
  }

  async settle(settlements: readonly Settlement[]): Promise<void> {
    for (const slice of slices([...lastOfEach(settlements).values()])) {
      const failures = slice.map((settlement) => Math.min(settlement.failures, failuresMax));
      const announced = slice.map(({ announcedAt }) => (announcedAt === undefined ? null : Math.floor(announcedAt)));
      const due = slice.map(({ dueAt }) => Math.max(0, Math.floor(dueAt)));
      await this.#database.write({
        name: 'settle-provide-records',
        text: settleStatement,
        values: [slice.map(({ key }) => key), due, failures, announced],
      });
    }
  }

  async counts(): Promise<ProvideCounts> {
    const { rows } = await this.#database.read<{ records: number; waiting: number; oldest: number | null }>({
      name: 'provide-counts',
      text: `SELECT coalesce(sum(records), 0)::bigint AS records, coalesce(sum(waiting), 0)::bigint AS waiting,
               (SELECT min(announced_at) FROM provide_records WHERE announced_at IS NOT NULL) AS oldest
             FROM provide_counts`,
    });
    const { records = 0, waiting = 0, oldest = null } = rows[0] ?? {};
    return { records, waiting, ...(oldest !== null && { oldestAt: oldest }) };
  }

  /** The database belongs to its opener. */
  async close(): Promise<void> {}
}

function* slices<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += sliceLength) yield items.slice(at, at + sliceLength);
}

/** Returns one settlement for each key: the last one, with the last announcement. A statement changes a row once. */
function lastOfEach(settlements: readonly Settlement[]): ReadonlyMap<string, Settlement> {
  const last = new Map<string, Settlement>();
  for (const settlement of settlements) {
    const place = Buffer.from(settlement.key).toString('hex');
    last.set(place, { ...last.get(place), ...settlement });
  }
  return last;
}

function recordOf({ key, multihash, announced_at, due_at, failures }: RecordRow): ProvideRecord {
  return { key, multihash, dueAt: due_at, failures, ...(announced_at !== null && { announcedAt: announced_at }) };
}

/** Opens the provider records in a database, and creates their tables. @throws the errors of `Postgres.migrate` */
export async function openPostgresProvideStore(database: Postgres): Promise<ProvideStore> {
  await database.migrate({ component: 'providing', steps: provideSteps });
  return new PostgresProvideStore(database);
}
