import type { Database as LmdbDatabase } from 'lmdb';
import { limits } from './limits.ts';

/** A key and its value, as copies that the caller may keep. */
export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Selects entries. Keys are ordered bytewise. */
export interface Range {
  /** Selects keys that start with these bytes. Must not be combined with `start` or `end`. */
  readonly prefix?: Uint8Array;
  /** Lower bound of keys, inclusive. */
  readonly start?: Uint8Array;
  /** Upper bound of keys, exclusive. */
  readonly end?: Uint8Array;
  /** Iterates from the last key to the first. */
  readonly reverse?: boolean;
  /** Maximum number of entries. */
  readonly limit?: number;
}

export type LmdbTable = LmdbDatabase<Buffer, Uint8Array>;

/** Reads and writes of one LMDB database. Does not check state and arguments; {@link Database} does. */
export interface Records {
  get(key: Uint8Array): Uint8Array | undefined;
  /** Like `get`, but does not prove that an absent key was never written. */
  peek(key: Uint8Array): Uint8Array | undefined;
  /** Copies a value into a buffer, as far as it fits, and returns the length of the value. */
  copyTo(key: Uint8Array, into: Uint8Array): number | undefined;
  has(key: Uint8Array): boolean;
  range(range: Range): Iterable<Entry>;
  keys(range: Range): Iterable<Uint8Array>;
  last(range: Range): Entry | undefined;
  put(key: Uint8Array, value: Uint8Array): void;
  remove(key: Uint8Array): boolean;
}

/** Records without checksums. */
export class PlainRecords implements Records {
  readonly #table: LmdbTable;

  constructor(table: LmdbTable) {
    this.#table = table;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#table.getBinary(key);
  }

  peek(key: Uint8Array): Uint8Array | undefined {
    return this.get(key);
  }

  copyTo(key: Uint8Array, into: Uint8Array): number | undefined {
    // LMDB has one buffer for all reads, which the next read overwrites.
    const value = this.#table.getBinaryFast(key);
    if (value === undefined) return undefined;
    const { buffer, byteOffset, length } = value;
    into.set(new Uint8Array(buffer, byteOffset, Math.min(length, into.length)));
    return length;
  }

  has(key: Uint8Array): boolean {
    return this.#table.doesExist(key);
  }

  *range(range: Range): Generator<Entry> {
    for (const { key, value } of this.#table.getRange(bounds(range))) yield { key: copy(key), value: copy(value) };
  }

  *keys(range: Range): Generator<Uint8Array> {
    for (const key of this.#table.getKeys(bounds(range))) yield copy(key);
  }

  last(range: Range): Entry | undefined {
    // Hot path of EVM state reads (sealed-records.bench.ts): no generators, few objects.
    const iterator = this.#table.getRange(bounds({ ...range, reverse: true, limit: 1 }))[Symbol.iterator]();
    const { done, value } = iterator.next();
    if (done === true) return undefined;
    iterator.return?.();
    return { key: copy(value.key), value: copy(value.value) };
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#table.putSync(key, asBuffer(value));
  }

  remove(key: Uint8Array): boolean {
    return this.#table.removeSync(key);
  }
}

/** Returns the smallest key above all keys with this prefix; `undefined` if the prefix is all 0xff. */
export function prefixEnd(prefix: Uint8Array): Uint8Array | undefined {
  const last = prefix.findLastIndex((byte) => byte !== 0xff);
  if (last === -1) return undefined;
  const end = Uint8Array.prototype.slice.call(prefix, 0, last + 1);
  end[last] = (end[last] ?? 0) + 1;
  return end;
}

// LMDB has no empty key. One zero byte is the lower bound of all keys, and the longest key of 0xff the upper bound.
export const firstKey: Uint8Array = Buffer.from([0]);
export const lastKey: Uint8Array = Buffer.alloc(limits.keyBytesMax, 0xff);

function bounds({ prefix, start, end, reverse = false, limit }: Range) {
  const low = prefix ?? start ?? firstKey;
  const high = prefix ? (prefixEnd(prefix) ?? lastKey) : (end ?? lastKey);
  // In reverse, lmdb by default includes the start and excludes the end.
  const ends = reverse
    ? { start: high, end: low, exclusiveStart: true, inclusiveEnd: true, reverse }
    : { start: low, end: high };
  return limit === undefined ? ends : { ...ends, limit };
}

export function copy(bytes: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
