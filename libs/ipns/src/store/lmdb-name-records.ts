import type { CID } from '@cairn/cid';
import type { Database, Environment } from '@cairn/embedded-store';
import { NamesFullError } from '../errors.ts';
import { verifyIpnsRecord } from '../ipns-record.ts';
import { limits } from '../limits.ts';
import { compareRecords } from '../select-record.ts';
import { accountPrefix } from './account-prefix.ts';
import type { NameRecords, PutOptions, PutOutcome, RecordCounts, StoredRecord } from './name-store.ts';
import { nextRecord } from './next-record.ts';
import {
  decodeStoredRecord,
  decodeTimeKey,
  encodeStoredRecord,
  nameOfMultihash,
  type ScheduledRecord,
  timeKey,
} from './stored-record.ts';

const present = Buffer.alloc(0);
/** Records of one page of a list. */
const listedMax = 256;
/** Expired records that a put removes before it reports a full store. */
const removedByPutMax = 64;
const totalKey = Buffer.from('\0total');

/**
 * Records in LMDB. Tables: `records` by multihash of the name, `expiry`, `schedule` and `announced` by time and name, `counts`
 * by account, and `sequences` by account and name.
 */
export class LmdbNameRecords implements NameRecords {
  readonly #environment: Environment;
  readonly #records: Database;
  readonly #expiry: Database;
  readonly #schedule: Database;
  readonly #announced: Database;
  readonly #counts: Database;
  readonly #sequences: Database;
  readonly #now: () => number;

  constructor(environment: Environment, now: () => number) {
    this.#environment = environment;
    this.#records = environment.database('records');
    this.#expiry = environment.database('expiry');
    this.#schedule = environment.database('schedule');
    this.#announced = environment.database('announced');
    this.#counts = environment.database('counts');
    this.#sequences = environment.database('sequences');
    this.#now = now;
  }

  async get(name: CID): Promise<StoredRecord | undefined> {
    const found = this.#find(name);
    return found && found.fields.validUntilMs > this.#now() ? published(found) : undefined;
  }

  #find(name: CID): ScheduledRecord | undefined {
    const found = this.#records.get(name.multihash.bytes);
    return found && decodeStoredRecord(name, found);
  }

  async sequenceOf(account: string, name: CID): Promise<bigint | undefined> {
    return this.#sequenceOf(account, name);
  }

  #sequenceOf(account: string, name: CID): bigint | undefined {
    const found = this.#sequences.get(sequenceKey(account, name));
    return found && BigInt(Buffer.from(found).toString());
  }

  async put(name: CID, bytes: Uint8Array, options: PutOptions): Promise<PutOutcome> {
    const fields = verifyIpnsRecord(name, bytes, this.#now());
    const { account, owner, expected } = options;
    return await this.#environment.transaction(() => {
      const before = this.#find(name);
      const live = before !== undefined && before.fields.validUntilMs > this.#now() ? before : undefined;
      if (expected !== undefined && live?.fields.sequence !== expected.sequence) return 'changed';
      const order = live === undefined ? 1 : compareRecords({ fields, bytes }, live);
      if (order < 0) return 'older';
      this.#remove(before);
      const record = { name, bytes, fields, account, ...(owner && { owner }) };
      const added = {
        ...nextRecord(record, order === 0 ? 'same' : 'newer', live && published(live)),
        dueMs: this.#now(),
      };
      this.#assertRoom(added);
      this.#write(added);
      if (added.owner !== undefined) this.#raiseSequence(added.account, name, fields.sequence);
      return 'stored';
    });
  }

  async *list(): AsyncGenerator<StoredRecord> {
    let start: Uint8Array | undefined;
    for (;;) {
      const page = [...this.#records.range({ ...(start && { start }), limit: listedMax })];
      for (const { key, value } of page) {
        const record = decodeStoredRecord(nameOfMultihash(key), value);
        if (record.fields.validUntilMs > this.#now()) yield published(record);
      }
      const last = page.at(-1)?.key;
      if (last === undefined || page.length < listedMax) return;
      start = Buffer.concat([last, Uint8Array.of(0)]);
    }
  }

  async raiseSequence(account: string, name: CID, sequence: bigint): Promise<void> {
    await this.#environment.transaction(() => this.#raiseSequence(account, name, sequence));
  }

  #raiseSequence(account: string, name: CID, sequence: bigint): void {
    if (sequence < (this.#sequenceOf(account, name) ?? 0n)) return;
    this.#sequences.put(sequenceKey(account, name), Buffer.from(String(sequence)));
  }

  #assertRoom({ account, bytes }: ScheduledRecord): void {
    const { recordsMax, recordsPerAccountMax, recordBytesPerAccountMax } = limits;
    if (this.#countsOf(totalKey).records >= recordsMax) this.#removeExpired(this.#now(), removedByPutMax);
    if (this.#countsOf(totalKey).records >= recordsMax)
      throw new NamesFullError('The records of all names', recordsMax);
    const own = this.#countsOf(accountPrefix(account));
    if (own.records >= recordsPerAccountMax)
      throw new NamesFullError('The records of the account', recordsPerAccountMax);
    if (own.bytes + bytes.length > recordBytesPerAccountMax)
      throw new NamesFullError('The bytes of the records of the account', recordBytesPerAccountMax);
  }

  #write(record: ScheduledRecord): void {
    const { name, fields, dueMs, announcedMs, owner } = record;
    this.#records.put(name.multihash.bytes, encodeStoredRecord(record));
    this.#expiry.put(timeKey(fields.validUntilMs, name), present);
    if (dueMs !== undefined) this.#schedule.put(timeKey(dueMs, name), present);
    if (announcedMs !== undefined && owner !== undefined) this.#announced.put(timeKey(announcedMs, name), present);
    this.#count(record, 1);
  }

  #remove(record: ScheduledRecord | undefined): void {
    if (record === undefined) return;
    const { name, fields, dueMs, announcedMs } = record;
    this.#records.remove(name.multihash.bytes);
    this.#expiry.remove(timeKey(fields.validUntilMs, name));
    if (dueMs !== undefined) this.#schedule.remove(timeKey(dueMs, name));
    if (announcedMs !== undefined) this.#announced.remove(timeKey(announcedMs, name));
    this.#count(record, -1);
  }

  #count({ account, bytes }: ScheduledRecord, sign: 1 | -1): void {
    for (const key of [totalKey, accountPrefix(account)]) {
      const { records, bytes: sum } = this.#countsOf(key);
      const counts: RecordCounts = { records: records + sign, bytes: sum + sign * bytes.length };
      if (counts.records === 0) this.#counts.remove(key);
      else this.#counts.put(key, Buffer.from(JSON.stringify(counts)));
    }
  }

  #countsOf(key: Uint8Array): RecordCounts {
    const found = this.#counts.get(key);
    return found ? (JSON.parse(Buffer.from(found).toString()) as RecordCounts) : { records: 0, bytes: 0 };
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
    const end = timeBound(nowMs + 1);
    // A read first: a transaction of each idle round would wait for the disk.
    if ([...this.#schedule.keys({ end, limit: 1 })].length === 0) return [];
    return await this.#environment.transaction(() => {
      const taken: StoredRecord[] = [];
      for (const key of [...this.#schedule.keys({ end, limit: max })]) {
        const record = this.#find(decodeTimeKey(key).name);
        if (record === undefined) this.#schedule.remove(key);
        else {
          this.#replace(record, { ...record, dueMs: retryMs });
          taken.push(published(record));
        }
      }
      return taken;
    });
  }

  async settle(
    { name, bytes }: StoredRecord,
    { announcedMs, nextMs }: { readonly announcedMs?: number; readonly nextMs?: number },
  ): Promise<void> {
    await this.#environment.transaction(() => {
      const record = this.#find(name);
      if (record === undefined || Buffer.compare(record.bytes, bytes) !== 0) return;
      const { dueMs: _, ...rest } = record;
      this.#replace(record, {
        ...rest,
        ...(announcedMs !== undefined && { announcedMs }),
        ...(nextMs !== undefined && { dueMs: nextMs }),
      });
    });
  }

  #replace(before: ScheduledRecord, after: ScheduledRecord): void {
    this.#remove(before);
    this.#write(after);
  }

  async removeExpired(nowMs: number, max: number): Promise<number> {
    if ([...this.#expiry.keys({ end: timeBound(nowMs + 1), limit: 1 })].length === 0) return 0;
    return await this.#environment.transaction(() => this.#removeExpired(nowMs, max));
  }

  #removeExpired(nowMs: number, max: number): number {
    const keys = [...this.#expiry.keys({ end: timeBound(nowMs + 1), limit: max })];
    for (const key of keys) this.#remove(this.#find(decodeTimeKey(key).name));
    return keys.length;
  }

  async counts(account?: string): Promise<RecordCounts> {
    return this.#countsOf(account === undefined ? totalKey : accountPrefix(account));
  }

  async oldestAnnouncedMs(): Promise<number | undefined> {
    const [key] = this.#announced.keys({ limit: 1 });
    return key && decodeTimeKey(key).ms;
  }

  async recordCount(): Promise<number> {
    return this.#records.count();
  }

  async scheduledCount(): Promise<number> {
    return this.#schedule.count();
  }
}

function published({ dueMs: _, ...record }: ScheduledRecord): StoredRecord {
  return record;
}

function sequenceKey(account: string, name: CID): Buffer {
  return Buffer.concat([accountPrefix(account), name.multihash.bytes]);
}

function timeBound(ms: number): Buffer {
  const bound = Buffer.alloc(8);
  bound.writeBigUInt64BE(BigInt(Math.max(0, Math.floor(ms))));
  return bound;
}
