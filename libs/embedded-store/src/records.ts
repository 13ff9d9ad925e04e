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

/** Range options for all keys below a start, in descending order. */
export const downwards = { end: firstKey, inclusiveEnd: true, exclusiveStart: true, reverse: true } as const;

/** Returns the lowest selected key, and the lowest key above the selection, if there may be one. */
export function ends({ prefix, start, end }: Range): {
  readonly low: Uint8Array;
  readonly high: Uint8Array | undefined;
} {
  const low = prefix ?? start ?? firstKey;
  return { low: low.length === 0 ? firstKey : low, high: prefix ? prefixEnd(prefix) : end };
}

export function copy(bytes: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes);
}
