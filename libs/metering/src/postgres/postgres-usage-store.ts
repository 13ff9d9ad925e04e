import { randomUUID } from 'node:crypto';
import type { Postgres, Rows } from '@cairn/postgres';
import { addCounts, dayMs, hourMs, minuteMs, type UsageCounts, type UsageRow, zeroCounts } from '../usage/usage.ts';
import {
  type KeyUse,
  minutesKeptMs,
  type Resolution,
  type Span,
  type StoredBytes,
  type StoredBytesSample,
  type UsageDelta,
  type UsageStore,
} from '../usage/usage-store.ts';

/**
 * Counts are double precision: sums are those of JavaScript numbers, exact to 2^53. A batch of a process changes each row once,
 * so that requests of one account do not contend for a row.
 */
const steps = [
  `CREATE TABLE usage_rows (
    resolution text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    service text COLLATE "C" NOT NULL,
    operation text COLLATE "C" NOT NULL,
    network text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    requests double precision NOT NULL,
    errors double precision NOT NULL,
    limited double precision NOT NULL,
    credits double precision NOT NULL,
    bytes_in double precision NOT NULL,
    bytes_out double precision NOT NULL,
    gas double precision NOT NULL,
    duration_us double precision NOT NULL,
    latency double precision[] NOT NULL,
    PRIMARY KEY (resolution, account_id, at, service, operation, network, key)
  );
  CREATE TABLE key_uses (
    account_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (account_id, key)
  );
  CREATE TABLE stored_bytes (
    account_id text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    bytes double precision NOT NULL,
    PRIMARY KEY (account_id, at)
  )`,
  `CREATE TABLE usage_batches (id uuid PRIMARY KEY, at bigint NOT NULL);
  CREATE INDEX usage_batches_at ON usage_batches (at)`,
];

/** Time in milliseconds for which batches are known, and so the longest outage after which one can be repeated. */
const batchesKeptMs = dayMs;

const resolutions: readonly (readonly [Resolution, number])[] = [
  ['minute', minuteMs],
  ['hour', hourMs],
  ['day', dayMs],
];

/** Row in the form of the table. */
interface TableRow {
  readonly at: number;
  readonly service: string;
  readonly operation: string;
  readonly network: string;
  readonly key: string;
  readonly requests: number;
  readonly errors: number;
  readonly limited: number;
  readonly credits: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly gas: number;
  readonly duration_us: number;
  readonly latency: readonly number[];
}

const counts = ['requests', 'errors', 'limited', 'credits', 'bytes_in', 'bytes_out', 'gas', 'duration_us'];
const subject = ['resolution', 'account_id', 'at', 'service', 'operation', 'network', 'key'];

/** Adds a batch of rows in one statement. Rows are sorted, so that concurrent batches lock them in the same order. */
const addRows = `
  INSERT INTO usage_rows AS stored (${[...subject, ...counts, 'latency'].join(', ')})
  SELECT ${[...subject, ...counts, 'latency'].join(', ')} FROM json_to_recordset($1) AS added (
    resolution text, account_id text, at bigint, service text, operation text, network text, key text,
    ${counts.map((name) => `${name} double precision`).join(', ')}, latency double precision[])
  ORDER BY ${subject.join(', ')}
  ON CONFLICT (${subject.join(', ')}) DO UPDATE SET
    ${counts.map((name) => `${name} = stored.${name} + EXCLUDED.${name}`).join(', ')},
    latency = (SELECT array_agg(coalesce(one, 0) + coalesce(other, 0) ORDER BY place)
               FROM unnest(stored.latency, EXCLUDED.latency) WITH ORDINALITY AS pairs (one, other, place))`;

/** Removes expired minutes of the accounts of a batch. */
const removeOldMinutes = `
  DELETE FROM usage_rows USING unnest($1::text[], $2::bigint[]) AS kept (account_id, since)
  WHERE resolution = 'minute' AND usage_rows.account_id = kept.account_id AND at < kept.since`;

const addUses = `
  INSERT INTO key_uses SELECT account_id, key, max(at) FROM unnest($1::text[], $2::text[], $3::bigint[]) AS seen (account_id, key, at)
  GROUP BY account_id, key ORDER BY account_id, key
  ON CONFLICT (account_id, key) DO UPDATE SET at = greatest(key_uses.at, EXCLUDED.at)`;

const addStored = `
  INSERT INTO stored_bytes SELECT DISTINCT ON (account_id, at) account_id, at, bytes
  FROM unnest($1::text[], $2::bigint[], $3::double precision[]) WITH ORDINALITY AS samples (account_id, at, bytes, place)
  ORDER BY account_id, at, place DESC
  ON CONFLICT (account_id, at) DO UPDATE SET bytes = EXCLUDED.bytes`;

class PostgresUsageStore implements UsageStore {
  readonly #database: Postgres;
  #batchesRemovedAt = 0;

  constructor(database: Postgres) {
    this.#database = database;
  }

  async add(
    deltas: readonly UsageDelta[],
    seen: readonly KeyUse[],
    stored: readonly StoredBytesSample[],
    id: string = randomUUID(),
  ): Promise<void> {
    const now = Date.now();
    await this.#database.transaction(async (transaction) => {
      // Waits for the end of an earlier attempt that still runs.
      const text = 'INSERT INTO usage_batches VALUES ($1, $2) ON CONFLICT DO NOTHING';
      if ((await transaction.run({ name: 'usage-batch', text, values: [id, now] })).count === 0) return;
      if (now - this.#batchesRemovedAt > minuteMs) {
        await transaction.run({ text: 'DELETE FROM usage_batches WHERE at < $1', values: [now - batchesKeptMs] });
        this.#batchesRemovedAt = now;
      }
      if (deltas.length > 0) {
        await transaction.run({ name: 'add-usage', text: addRows, values: [JSON.stringify(summed(deltas))] });
        const since = new Map(deltas.map(({ accountId, at }) => [accountId, at - minutesKeptMs]));
        await transaction.run({ text: removeOldMinutes, values: [[...since.keys()], [...since.values()]] });
      }
      if (seen.length > 0) {
        const values = [seen.map((use) => use.accountId), seen.map((use) => use.key), seen.map((use) => use.at)];
        await transaction.run({ text: addUses, values });
      }
      if (stored.length > 0) {
        const at = stored.map((sample) => sample.at - (sample.at % minuteMs));
        const values = [stored.map((sample) => sample.accountId), at, stored.map((sample) => sample.bytes)];
        await transaction.run({ text: addStored, values });
      }
    });
  }

  async *rows(accountId: string, { from, to }: Span, resolution: Resolution): AsyncGenerator<UsageRow> {
    const text = `SELECT * FROM usage_rows
      WHERE resolution = $1 AND account_id = $2 AND (at, service, operation, network, key) > ($3, $4, $5, $6, $7) AND at < $8
      ORDER BY at, service, operation, network, key LIMIT ${pageRows}`;
    // No row has a service below the empty text.
    let place: readonly (string | number)[] = [Math.ceil(from), '', '', '', ''];
    for (;;) {
      const values = [resolution, accountId, ...place, Math.ceil(to)];
      const { rows }: Rows<TableRow> = await this.#database.read({ name: 'usage-rows', text, values });
      for (const row of rows) yield { accountId, ...rowOf(row) };
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      place = [last.at, last.service, last.operation, last.network, last.key];
    }
  }

  async lastUsed(accountId: string): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#database.read<{ key: string; at: number }>({
      text: 'SELECT key, at FROM key_uses WHERE account_id = $1 ORDER BY key',
      values: [accountId],
    });
    return new Map(rows.map(({ key, at }) => [key, at]));
  }

  async stored(accountId: string, { from, to }: Span): Promise<readonly StoredBytes[]> {
    const { rows } = await this.#database.read<StoredBytes>({
      text: `(SELECT at, bytes FROM stored_bytes WHERE account_id = $1 AND at < $2 ORDER BY at DESC LIMIT 1)
             UNION ALL
             (SELECT at, bytes FROM stored_bytes WHERE account_id = $1 AND at >= $2 AND at < $3)
             ORDER BY at`,
      values: [accountId, Math.ceil(from), Math.ceil(to)],
    });
    return rows;
  }

  /** The database belongs to its opener. */
  async close(): Promise<void> {}
}

/** Rows that a listing reads at a time. */
const pageRows = 1000;

/** Sums the deltas for each row that they change: a statement may change a row once. */
function summed(deltas: readonly UsageDelta[]): object[] {
  const sums = new Map<string, { readonly names: object; readonly sum: ReturnType<typeof zeroCounts> }>();
  for (const delta of deltas) {
    const { accountId: account_id, service, operation, network, key } = delta;
    for (const [resolution, length] of resolutions) {
      const at = delta.at - (delta.at % length);
      const names = { resolution, account_id, at, service, operation, network, key };
      const text = JSON.stringify(names);
      const known = sums.get(text) ?? { names, sum: zeroCounts() };
      addCounts(known.sum, delta);
      sums.set(text, known);
    }
  }
  return [...sums.values()].map(({ names, sum: { bytesIn, bytesOut, durationUs, ...others } }) => ({
    ...names,
    ...others,
    bytes_in: bytesIn,
    bytes_out: bytesOut,
    duration_us: durationUs,
  }));
}

function rowOf(row: TableRow): Omit<UsageRow, 'accountId'> {
  const { at, service, operation, network, key, requests, errors, limited, credits, gas, latency } = row;
  const sums: UsageCounts = {
    ...{ requests, errors, limited, credits, gas, latency },
    ...{ bytesIn: row.bytes_in, bytesOut: row.bytes_out, durationUs: row.duration_us },
  };
  return { at, service, operation, network, key, ...sums };
}

/** Rows of one statement of a copy. */
const copiedRows = 500;

/** Replaces rows by those of a copy, so that a repeated copy counts nothing twice. */
const replaceRows = `${addRows.slice(0, addRows.indexOf('DO UPDATE SET'))}
  DO UPDATE SET ${[...counts, 'latency'].map((name) => `${name} = EXCLUDED.${name}`).join(', ')}`;

/**
 * Copies usage, key uses and samples of stored bytes of an account into the tables of another store, which
 * `openPostgresUsageStore` has created. A repeated call gives the same result. Returns the number of rows.
 */
export async function copyUsage(from: UsageStore, accountId: string, database: Postgres): Promise<number> {
  const all: Span = { from: 0, to: Number.MAX_SAFE_INTEGER };
  let copied = 0;
  for (const [resolution] of resolutions) {
    let batch: object[] = [];
    const flush = async () => {
      await database.write({ text: replaceRows, values: [JSON.stringify(batch)] });
      copied += batch.length;
      batch = [];
    };
    for await (const { bytesIn, bytesOut, durationUs, accountId: account_id, ...row } of from.rows(
      accountId,
      all,
      resolution,
    )) {
      batch.push({ ...row, resolution, account_id, bytes_in: bytesIn, bytes_out: bytesOut, duration_us: durationUs });
      if (batch.length >= copiedRows) await flush();
    }
    if (batch.length > 0) await flush();
  }
  const uses = [...(await from.lastUsed(accountId))];
  if (uses.length > 0)
    await database.write({
      text: addUses,
      values: [uses.map(() => accountId), uses.map(([key]) => key), uses.map(([, at]) => at)],
    });
  const samples = await from.stored(accountId, all);
  for (let at = 0; at < samples.length; at += copiedRows) {
    const part = samples.slice(at, at + copiedRows);
    const values = [part.map(() => accountId), part.map((sample) => sample.at), part.map(({ bytes }) => bytes)];
    await database.write({ text: addStored, values });
  }
  return copied;
}

/** Opens the usage rows in a database, and creates their tables. @throws the errors of `Postgres.migrate` */
export async function openPostgresUsageStore(database: Postgres): Promise<UsageStore> {
  await database.migrate({ component: 'usage', steps });
  return new PostgresUsageStore(database);
}
