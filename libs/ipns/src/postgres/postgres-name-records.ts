import type { CID } from '@cairn/cid';
import type { Postgres, Statement, Transaction } from '@cairn/postgres';
import { NamesFullError } from '../errors.ts';
import { verifyIpnsRecord } from '../ipns-record.ts';
import { limits } from '../limits.ts';
import { compareRecords } from '../select-record.ts';
import type { NameRecords, PutOptions, PutOutcome, RecordCounts, StoredRecord } from '../store/name-store.ts';
import { nextRecord } from '../store/next-record.ts';
import { accountScope, isTotal, totalScope } from './name-tables.ts';
import { type RecordRow, recordColumns, recordOfRow } from './record-rows.ts';

/** Records of one page of a list. */
const listedMax = 500;
/** Expired records that a put removes before it reports a full store. */
const removedByPutMax = 64;

/** Change of the count of a scope. */
interface CountChange {
  readonly scope: string;
  readonly records: number;
  readonly bytes: number;
}

/** Records in PostgreSQL. Puts of one name take turns by a lock on the name; the row may not exist yet. */
export class PostgresNameRecords implements NameRecords {
  readonly #database: Postgres;
  readonly #now: () => number;

  constructor(database: Postgres, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async get(name: CID): Promise<StoredRecord | undefined> {
    const { rows } = await this.#database.read<RecordRow>({
      name: 'name-record',
      text: `SELECT ${recordColumns} FROM name_records WHERE name = $1`,
      values: [name.multihash.bytes],
    });
    const found = rows[0] && recordOfRow(rows[0]);
    return found && found.fields.validUntilMs > this.#now() ? found : undefined;
  }

  async sequenceOf(account: string, name: CID): Promise<bigint | undefined> {
    const { rows } = await this.#database.read<{ sequence: string }>({
      text: 'SELECT sequence::text FROM name_sequences WHERE account_id = $1 AND name = $2',
      values: [account, name.multihash.bytes],
    });
    return rows[0] && BigInt(rows[0].sequence);
  }

  async put(name: CID, bytes: Uint8Array, options: PutOptions): Promise<PutOutcome> {
    const fields = verifyIpnsRecord(name, bytes, this.#now());
    const { account, owner, expected } = options;
    const record = { name, bytes, fields, account, ...(owner && { owner }) };
    await this.#makeRoom();
    return await this.#database.transaction(async (transaction) => {
      const before = await lockedRecord(transaction, name);
      const live = before !== undefined && before.fields.validUntilMs > this.#now() ? before : undefined;
      if (expected !== undefined && live?.fields.sequence !== expected.sequence) return 'changed';
      const order = live === undefined ? 1 : compareRecords(record, live);
      if (order < 0) return 'older';
      const next = nextRecord(record, order === 0 ? 'same' : 'newer', live);
      await this.#write(transaction, next, this.#now());
      await count(transaction, [...countsOf(before, -1), ...countsOf(next, 1)], next.account);
      if (next.owner !== undefined) await transaction.run(raisedSequence(next.account, name, fields.sequence));
      return 'stored';
    });
  }

  async #write(transaction: Transaction, record: StoredRecord, dueMs: number): Promise<void> {
    const { name, bytes, account, owner, announcedMs, fields } = record;
    await transaction.run({
      name: 'put-name-record',
      text: `INSERT INTO name_records (${recordColumns}, due_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT (name) DO UPDATE SET record = EXCLUDED.record, account_id = EXCLUDED.account_id,
               lifetime_ms = EXCLUDED.lifetime_ms, has_v1 = EXCLUDED.has_v1, announced_at = EXCLUDED.announced_at,
               due_at = EXCLUDED.due_at, expires_at = EXCLUDED.expires_at`,
      values: [
        name.multihash.bytes,
        bytes,
        account,
        owner?.lifetimeMs ?? null,
        owner?.hasV1 ?? null,
        announcedMs ?? null,
        Math.floor(dueMs),
        Math.floor(fields.validUntilMs),
      ],
    });
  }

  /** Removes expired records from a full store. The limit may be exceeded by the puts that run at the same time. */
  async #makeRoom(): Promise<void> {
    const { recordsMax } = limits;
    if ((await this.counts()).records < recordsMax) return;
    await this.removeExpired(this.#now(), removedByPutMax);
    if ((await this.counts()).records >= recordsMax) throw new NamesFullError('The records of all names', recordsMax);
  }

  async *list(): AsyncGenerator<StoredRecord> {
    let after: Uint8Array = new Uint8Array();
    for (;;) {
      const { rows } = await this.#database.read<RecordRow>({
        text: `SELECT ${recordColumns} FROM name_records WHERE name > $1 ORDER BY name LIMIT ${listedMax}`,
        values: [after],
      });
      for (const record of rows.map(recordOfRow)) if (record.fields.validUntilMs > this.#now()) yield record;
      const last = rows.at(-1);
      if (last === undefined || rows.length < listedMax) return;
      after = last.name;
    }
  }

  async raiseSequence(account: string, name: CID, sequence: bigint): Promise<void> {
    await this.#database.write(raisedSequence(account, name, sequence));
  }

  async takeDue({
    nowMs,
    retryMs,
    max,
  }: {
    readonly nowMs: number;
    readonly retryMs: number;
    readonly max: number;
  }): Promise<StoredRecord[]> {
    // Rows that another process takes now are skipped. Without due rows the statement writes nothing.
    const { rows } = await this.#database.write<RecordRow>({
      name: 'take-name-records',
      text: `UPDATE name_records SET due_at = $2 WHERE name IN (
               SELECT name FROM name_records WHERE due_at <= $1 ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
             RETURNING ${recordColumns}`,
      values: [Math.floor(nowMs), Math.floor(retryMs), max],
    });
    return rows.map(recordOfRow);
  }

  async settle(
    { name, bytes }: StoredRecord,
    { announcedMs, nextMs }: { readonly announcedMs?: number; readonly nextMs?: number },
  ): Promise<void> {
    await this.#database.write({
      text: `UPDATE name_records SET due_at = $4, announced_at = coalesce($3, announced_at)
             WHERE name = $1 AND record = $2`,
      values: [
        name.multihash.bytes,
        bytes,
        announcedMs === undefined ? null : Math.floor(announcedMs),
        nextMs === undefined ? null : Math.floor(nextMs),
      ],
    });
  }

  async removeExpired(nowMs: number, max: number): Promise<number> {
    const end = Math.floor(nowMs);
    const { rows } = await this.#database.read({
      text: 'SELECT FROM name_records WHERE expires_at <= $1 LIMIT 1',
      values: [end],
    });
    if (rows.length === 0) return 0;
    return await this.#database.transaction(async (transaction) => {
      const removed = await transaction.run<Pick<RecordRow, 'name' | 'account_id'> & { length: number }>({
        text: `DELETE FROM name_records WHERE name IN (
                 SELECT name FROM name_records WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
               RETURNING name, account_id, length(record) AS length`,
        values: [end, max],
      });
      const changes = removed.rows.flatMap(({ name, account_id, length }) =>
        [accountScope(account_id), totalScope(name)].map((scope) => ({ scope, records: -1, bytes: -length })),
      );
      await count(transaction, changes);
      return removed.count;
    });
  }

  async counts(account?: string): Promise<RecordCounts> {
    const { rows } = await this.#database.read<RecordCounts>({
      text: `SELECT coalesce(sum(records), 0)::bigint AS records, coalesce(sum(bytes), 0)::bigint AS bytes
             FROM name_counts WHERE ${account === undefined ? isTotal : 'scope = $1'}`,
      values: account === undefined ? [] : [accountScope(account)],
    });
    return rows[0] ?? { records: 0, bytes: 0 };
  }

  async oldestAnnouncedMs(): Promise<number | undefined> {
    const { rows } = await this.#database.read<{ oldest: number | null }>({
      text: `SELECT min(announced_at) AS oldest FROM name_records
             WHERE announced_at IS NOT NULL AND lifetime_ms IS NOT NULL`,
    });
    return rows[0]?.oldest ?? undefined;
  }

  async recordCount(): Promise<number> {
    return (await this.counts()).records;
  }

  async scheduledCount(): Promise<number> {
    const { rows } = await this.#database.read<{ scheduled: number }>({
      text: 'SELECT count(*) AS scheduled FROM name_records WHERE due_at IS NOT NULL',
    });
    return rows[0]?.scheduled ?? 0;
  }
}

/** Reads the record of a name for a change. Other puts of the name wait for the end of the transaction. */
async function lockedRecord(transaction: Transaction, name: CID): Promise<StoredRecord | undefined> {
  const multihash = name.multihash.bytes;
  await transaction.run({
    text: "SELECT pg_advisory_xact_lock(hashtextextended('name_records ' || encode($1, 'hex'), 0))",
    values: [multihash],
  });
  const { rows } = await transaction.run<RecordRow>({
    text: `SELECT ${recordColumns} FROM name_records WHERE name = $1 FOR UPDATE`,
    values: [multihash],
  });
  return rows[0] && recordOfRow(rows[0]);
}

function raisedSequence(account: string, name: CID, sequence: bigint): Statement {
  return {
    text: `INSERT INTO name_sequences (account_id, name, sequence) VALUES ($1, $2, $3)
           ON CONFLICT (account_id, name) DO UPDATE SET sequence = EXCLUDED.sequence
           WHERE name_sequences.sequence < EXCLUDED.sequence`,
    values: [account, name.multihash.bytes, sequence],
  };
}

function countsOf(record: StoredRecord | undefined, sign: 1 | -1): CountChange[] {
  if (record === undefined) return [];
  const { account, name, bytes } = record;
  return [accountScope(account), totalScope(name.multihash.bytes)].map((scope) => ({
    scope,
    records: sign,
    bytes: sign * bytes.length,
  }));
}

/** Changes counts, in the order of scopes. @throws NAMES_FULL if the account that pays exceeds a limit */
async function count(transaction: Transaction, changes: readonly CountChange[], payer?: string): Promise<void> {
  const { rows } = await transaction.run<RecordCounts & { scope: string }>({
    name: 'count-name-records',
    text: `INSERT INTO name_counts AS stored (scope, records, bytes)
           SELECT scope, sum(records), sum(bytes) FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS change (scope, records, bytes)
           GROUP BY scope ORDER BY scope
           ON CONFLICT (scope) DO UPDATE
           SET records = stored.records + EXCLUDED.records, bytes = stored.bytes + EXCLUDED.bytes
           RETURNING scope, records, bytes`,
    values: [
      changes.map(({ scope }) => scope),
      changes.map(({ records }) => records),
      changes.map(({ bytes }) => bytes),
    ],
  });
  const own = payer === undefined ? undefined : rows.find(({ scope }) => scope === accountScope(payer));
  if (own === undefined) return;
  const { recordsPerAccountMax, recordBytesPerAccountMax } = limits;
  if (own.records > recordsPerAccountMax) throw new NamesFullError('The records of the account', recordsPerAccountMax);
  if (own.bytes > recordBytesPerAccountMax)
    throw new NamesFullError('The bytes of the records of the account', recordBytesPerAccountMax);
}
