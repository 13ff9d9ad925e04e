import { type Database, Environment, type StoreFormat } from '@cairn/embedded-store';
import { BaseDatastore, MemoryDatastore } from 'datastore-core';
import { type Datastore, Key, type KeyQuery, type Pair, type Query } from 'interface-datastore';

export interface DhtDatastoreOptions {
  readonly directory: string;
  /** Store of all other keys. Default: memory. */
  readonly base?: Datastore;
  /** Provider records of all peers. Default 500,000: about 200 MiB on the disk. The oldest one is replaced. */
  readonly recordsMax?: number;
  /** Provider records of one peer. Default 100,000. Further ones are ignored. */
  readonly peerRecordsMax?: number;
  /** Values, such as IPNS records. Default 20,000. The oldest one is replaced. */
  readonly valuesMax?: number;
  /** Bytes of a value. Default 16 KiB. Larger ones are ignored. */
  readonly valueBytesMax?: number;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

const format: StoreFormat = { name: 'cairn-dht', version: 1 };
const prefix = '/dht';
/** Keys of provider records. Each DHT has a prefix of its own, such as `/dht-lan`. */
const providerPattern = /^\/dht[^/]*\/provider\//;
const pageLength = 256;
const timeBytes = 6;
/** Group of the records that are no provider records. */
const values = '';

/**
 * Datastore for js-libp2p's DHT that bounds what other nodes store in it. js-libp2p itself has no bounds, and its memory
 * store reads all records for each query. Records are lost at a power cut, but not when the process is killed.
 *
 * Tables: `records` by key, `times` and `value-times` by time and key, and `counts` by group. The group is the provider of a
 * provider record.
 */
export class DhtDatastore extends BaseDatastore {
  readonly #environment: Environment;
  readonly #records: Database;
  readonly #times: Database;
  readonly #valueTimes: Database;
  readonly #counts: Database;
  readonly #base: Datastore;
  readonly #options: Required<Omit<DhtDatastoreOptions, 'directory' | 'base'>>;

  private constructor(environment: Environment, { base = new MemoryDatastore(), ...options }: DhtDatastoreOptions) {
    super();
    this.#environment = environment;
    this.#records = environment.database('records');
    this.#times = environment.database('times');
    this.#valueTimes = environment.database('value-times');
    this.#counts = environment.database('counts');
    this.#base = base;
    this.#options = {
      recordsMax: options.recordsMax ?? 500_000,
      peerRecordsMax: options.peerRecordsMax ?? 100_000,
      valuesMax: options.valuesMax ?? 20_000,
      valueBytesMax: options.valueBytesMax ?? 16 * 1024,
      now: options.now ?? Date.now,
    };
  }

  /** @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
  static async open(options: DhtDatastoreOptions): Promise<DhtDatastore> {
    const { directory } = options;
    return new DhtDatastore(await Environment.open({ directory, format, isSynced: false }), options);
  }

  override async put(key: Key, value: Uint8Array): Promise<Key> {
    const name = key.toString();
    if (!name.startsWith(prefix)) return await this.#base.put(key, value);
    await this.#environment.transaction(() => this.#write(name, value));
    return key;
  }

  override async get(key: Key): Promise<Uint8Array> {
    const name = key.toString();
    if (!name.startsWith(prefix)) return await this.#base.get(key);
    const found = this.#records.get(Buffer.from(name));
    // Error name that js-libp2p expects.
    if (found === undefined) throw Object.assign(new Error(`There is no record ${name}.`), { name: 'NotFoundError' });
    return found.subarray(timeBytes);
  }

  override async has(key: Key): Promise<boolean> {
    const name = key.toString();
    return name.startsWith(prefix) ? this.#records.has(Buffer.from(name)) : await this.#base.has(key);
  }

  override async delete(key: Key): Promise<void> {
    const name = key.toString();
    if (!name.startsWith(prefix)) return await this.#base.delete(key);
    await this.#environment.transaction(() => this.#erase(Buffer.from(name)));
  }

  override async *_all({ prefix: start = '' }: Query): AsyncGenerator<Pair> {
    if (!start.startsWith(prefix)) yield* this.#base.query(start === '' ? {} : { prefix: start });
    if (!start.startsWith(prefix) && !prefix.startsWith(start)) return;
    const from = Buffer.from(start.startsWith(prefix) ? start : prefix);
    let next: Uint8Array = from;
    for (;;) {
      const page = [...this.#records.range({ start: next, limit: pageLength })];
      for (const { key, value } of page) {
        if (!Buffer.from(key).subarray(0, from.length).equals(from)) return;
        yield { key: new Key(Buffer.from(key).toString(), false), value: value.subarray(timeBytes) };
      }
      const last = page.at(-1)?.key;
      if (last === undefined || page.length < pageLength) return;
      next = Buffer.concat([last, Buffer.of(0)]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  override async *_allKeys({ prefix: start = '' }: KeyQuery): AsyncGenerator<Key> {
    for await (const { key } of this._all({ prefix: start })) yield key;
  }

  /** Number of records of other nodes. */
  count(): number {
    return this.#records.count();
  }

  close(): Promise<void> {
    return this.#environment.close();
  }

  #write(name: string, value: Uint8Array): void {
    const { recordsMax, peerRecordsMax, valuesMax, valueBytesMax } = this.#options;
    if (value.length > valueBytesMax) return;
    const key = Buffer.from(name);
    const isNew = !this.#records.has(key);
    const group = groupOf(name);
    if (isNew && group !== values && this.#countOf(group) >= peerRecordsMax) return;
    this.#erase(key);
    if (group === values && this.#countOf(values) >= valuesMax) this.#eraseOldest(this.#valueTimes);
    if (group !== values && this.#records.count() - this.#countOf(values) >= recordsMax) this.#eraseOldest(this.#times);
    const time = Buffer.alloc(timeBytes);
    time.writeUIntBE(this.#options.now(), 0, timeBytes);
    this.#records.put(key, Buffer.concat([time, value]));
    this.#timesOf(group).put(Buffer.concat([time, key]), Buffer.of(1));
    this.#setCount(group, this.#countOf(group) + 1);
  }

  #eraseOldest(times: Database): void {
    for (const key of times.keys({ limit: 1 })) this.#erase(key.subarray(timeBytes));
  }

  #erase(key: Uint8Array): void {
    const before = this.#records.get(key);
    if (before === undefined) return;
    const group = groupOf(Buffer.from(key).toString());
    const time = before.subarray(0, timeBytes);
    this.#records.remove(key);
    this.#timesOf(group).remove(Buffer.concat([time, key]));
    this.#setCount(group, this.#countOf(group) - 1);
  }

  #timesOf(group: string): Database {
    return group === values ? this.#valueTimes : this.#times;
  }

  #countOf(group: string): number {
    const found = this.#counts.get(Buffer.from(`g${group}`));
    return found === undefined ? 0 : Buffer.from(found).readUInt32BE(0);
  }

  #setCount(group: string, count: number): void {
    const key = Buffer.from(`g${group}`);
    if (count <= 0) {
      this.#counts.remove(key);
      return;
    }
    const value = Buffer.alloc(4);
    value.writeUInt32BE(count, 0);
    this.#counts.put(key, value);
  }
}

/** Returns the provider of a provider record, which is the last part of its key. */
function groupOf(name: string): string {
  return providerPattern.test(name) ? name.slice(name.lastIndexOf('/') + 1) : values;
}
