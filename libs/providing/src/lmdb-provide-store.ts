import { CID } from '@cairn/cid';
import { type Database, Environment, type StoreFormat } from '@cairn/embedded-store';
import { keyBytes, keyOf, type Region, regionEnd, sectorOf } from './keyspace.ts';
import type { ProvideCounts, ProvideRecord, ProvideStore, Settlement } from './provide-store.ts';

/**
 * Format of the store of provider records. Without seals, which made writes several times as expensive: the set is
 * derived from the pins, and each comparison with them restores what is missing.
 */
const providingFormat: StoreFormat = { name: 'cairn-providing', version: 1 };

const present = Buffer.of(1);
const timeBytes = 6;
const failuresMax = 255;
/** Changes of one transaction, which blocks the event loop: about 2 ms. */
const sliceLength = 128;

/**
 * Provider records in LMDB. Tables: `records` by key, `cids` by key and CID, `due` by sector, time and key, and `announced`
 * by time and key. `records` without an entry in `announced` wait for their first announcement.
 */
class LmdbProvideStore implements ProvideStore {
  readonly #environment: Environment;
  readonly #records: Database;
  readonly #cids: Database;
  readonly #due: Database;
  readonly #announced: Database;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#records = environment.database('records');
    this.#cids = environment.database('cids');
    this.#due = environment.database('due');
    this.#announced = environment.database('announced');
  }

  async add(cids: readonly CID[], { dueAt = 0 } = {}): Promise<number> {
    let added = 0;
    await this.#inSlices(cids, (cid) => {
      const multihash = cid.multihash.bytes;
      const key = keyOf(multihash);
      this.#cids.put(Buffer.concat([key, cid.bytes]), present);
      if (this.#records.has(key)) return;
      this.#write({ key, multihash, dueAt, failures: 0 });
      added++;
    });
    return added;
  }

  async remove(cids: readonly CID[]): Promise<number> {
    let removed = 0;
    await this.#inSlices(cids, (cid) => {
      const key = keyOf(cid.multihash.bytes);
      if (!this.#cids.remove(Buffer.concat([key, cid.bytes]))) return;
      if (hasAny(this.#cids.keys({ prefix: key, limit: 1 }))) return;
      const record = this.#find(key);
      if (record === undefined) return;
      this.#unindex(record);
      this.#records.remove(key);
      removed++;
    });
    return removed;
  }

  async has(cid: CID): Promise<boolean> {
    return this.#cids.has(Buffer.concat([keyOf(cid.multihash.bytes), cid.bytes]));
  }

  async get(key: Uint8Array): Promise<ProvideRecord | undefined> {
    return this.#find(key);
  }

  async cidsOf(key: Uint8Array): Promise<readonly CID[]> {
    return [...this.#cids.keys({ prefix: key })].map((found) => CID.decode(found.subarray(keyBytes)));
  }

  async firstDue(sector: number): Promise<ProvideRecord | undefined> {
    const [found] = this.#due.keys({ prefix: Buffer.of(sector), limit: 1 });
    return found && this.#find(found.subarray(1 + timeBytes));
  }

  async inRegion(
    region: Region,
    { after, limit }: { readonly after?: Uint8Array | undefined; readonly limit: number },
  ): Promise<readonly ProvideRecord[]> {
    const end = regionEnd(region);
    const start = after === undefined ? region.start : Buffer.concat([after, Buffer.of(0)]);
    const found = this.#records.range({ start, ...(end && { end }), limit });
    return [...found].map(({ key, value }) => decodeRecord(key, value));
  }

  async settle(settlements: readonly Settlement[]): Promise<void> {
    await this.#inSlices(settlements, (settlement) => {
      const before = this.#find(settlement.key);
      if (before === undefined) return;
      this.#unindex(before);
      this.#write({ ...before, ...settlement, failures: Math.min(settlement.failures, failuresMax) });
    });
  }

  /** Applies changes in transactions that are short. Resolves when all are durable. */
  async #inSlices<T>(items: readonly T[], change: (item: T) => void): Promise<void> {
    for (let at = 0; at < items.length; at += sliceLength)
      await this.#environment.transaction(() => items.slice(at, at + sliceLength).forEach(change));
  }

  async counts(): Promise<ProvideCounts> {
    const records = this.#records.count();
    const [oldest] = this.#announced.keys({ limit: 1 });
    return {
      records,
      waiting: Math.max(0, records - this.#announced.count()),
      ...(oldest && { oldestAt: readTime(oldest, 0) }),
    };
  }

  close(): Promise<void> {
    return this.#environment.close();
  }

  #find(key: Uint8Array): ProvideRecord | undefined {
    const value = this.#records.get(key);
    return value && decodeRecord(key, value);
  }

  #write(record: ProvideRecord): void {
    this.#records.put(record.key, encodeRecord(record));
    this.#due.put(dueKey(record), present);
    if (record.announcedAt !== undefined) this.#announced.put(announcedKey(record.announcedAt, record.key), present);
  }

  #unindex(record: ProvideRecord): void {
    this.#due.remove(dueKey(record));
    if (record.announcedAt !== undefined) this.#announced.remove(announcedKey(record.announcedAt, record.key));
  }
}

function hasAny(keys: Iterable<Uint8Array>): boolean {
  for (const _ of keys) return true;
  return false;
}

function time(value: number): Buffer {
  const bytes = Buffer.alloc(timeBytes);
  bytes.writeUIntBE(Math.max(0, Math.floor(value)), 0, timeBytes);
  return bytes;
}

function readTime(bytes: Uint8Array, at: number): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readUIntBE(at, timeBytes);
}

function dueKey({ key, dueAt }: Pick<ProvideRecord, 'key' | 'dueAt'>): Buffer {
  return Buffer.concat([Buffer.of(sectorOf(key)), time(dueAt), key]);
}

function announcedKey(announcedAt: number, key: Uint8Array): Buffer {
  return Buffer.concat([time(announcedAt), key]);
}

/** Fields: time of the last announcement or 0, time of the next one, failures, multihash. */
function encodeRecord({ announcedAt = 0, dueAt, failures, multihash }: ProvideRecord): Buffer {
  return Buffer.concat([time(announcedAt), time(dueAt), Buffer.of(failures), multihash]);
}

function decodeRecord(key: Uint8Array, value: Uint8Array): ProvideRecord {
  const announcedAt = readTime(value, 0);
  return {
    key,
    multihash: value.subarray(2 * timeBytes + 1),
    dueAt: readTime(value, timeBytes),
    failures: value[2 * timeBytes] ?? 0,
    ...(announcedAt > 0 && { announcedAt }),
  };
}

/**
 * Opens the store of provider records.
 * @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED
 */
export async function openLmdbProvideStore({
  directory,
  readOnly = false,
}: {
  readonly directory: string;
  readonly readOnly?: boolean;
}): Promise<ProvideStore> {
  return new LmdbProvideStore(await Environment.open({ directory, format: providingFormat, readOnly }));
}
