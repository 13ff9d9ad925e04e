import type { Database as LmdbDatabase } from 'lmdb';
import { StoreError, storeErrorFrom } from './errors.ts';
import { limits } from './limits.ts';

/** A key and its value. Both are copies that the caller may keep. */
export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Which entries a range covers. Keys are ordered bytewise. */
export interface Range {
  /** Only keys that start with these bytes. Excludes `start` and `end`. */
  readonly prefix?: Uint8Array;
  /** First key, inclusive. */
  readonly start?: Uint8Array;
  /** Where to stop, exclusive. */
  readonly end?: Uint8Array;
  /** From the last key of the range down to the first. */
  readonly reverse?: boolean;
  /** Number of entries at most. */
  readonly limit?: number;
}

/**
 * A named, ordered map from bytes to bytes inside an {@link Environment}.
 *
 * Reads are synchronous: LMDB reads from memory-mapped pages and takes a microsecond or two. All reads of one turn of
 * the event loop see one snapshot. Keys have 1 to 1,978 bytes.
 */
export class Database {
  readonly #database: LmdbDatabase<Buffer, Uint8Array>;
  readonly #guards: Guards;

  /** Made by {@link Environment.database}. */
  constructor(database: LmdbDatabase<Buffer, Uint8Array>, guards: Guards) {
    this.#database = database;
    this.#guards = guards;
  }

  /** A copy of the value, or `undefined`. @throws STORE_CORRUPT, STORE_CLOSED, as every read */
  get(key: Uint8Array): Uint8Array | undefined {
    if (!isKey(key)) return undefined;
    return this.#read(() => this.#database.getBinary(key));
  }

  /** Whether there is an entry. Reads its value: keep large values beside a database of small ones, such as lengths. */
  has(key: Uint8Array): boolean {
    return isKey(key) && this.#read(() => this.#database.doesExist(key));
  }

  /** Number of entries. Costs no walk. */
  count(): number {
    const stats: { entryCount?: number } = this.#read(() => this.#database.getStats());
    return stats.entryCount ?? 0;
  }

  /** Entries in key order, all of one snapshot, which they hold on to until the consumer stops. */
  range(range: Range = {}): Generator<Entry> {
    const entries = this.#read(() => this.#database.getRange(bounds(range)));
    return this.#each(entries, ({ key, value }) => ({ key: copy(key), value: copy(value) }));
  }

  /** Keys in order, without reading values. */
  keys(range: Range = {}): Generator<Uint8Array> {
    const keys = this.#read(() => this.#database.getKeys(bounds(range)));
    return this.#each(keys, copy);
  }

  /** The last entry of a range, or `undefined`: one seek. */
  last(range: Range): Entry | undefined {
    const low = range.prefix ?? range.start ?? firstKey;
    const high = range.prefix ? (prefixEnd(range.prefix) ?? lastKey) : (range.end ?? lastKey);
    // Reads of state come here by the thousand: no generators, no more objects than it takes.
    this.#guards.assertReadable();
    try {
      const entries = this.#database.getRange({
        start: high,
        end: low,
        exclusiveStart: true,
        inclusiveEnd: true,
        reverse: true,
        limit: 1,
      });
      const iterator = entries[Symbol.iterator]();
      const { done, value } = iterator.next();
      if (done === true) return undefined;
      iterator.return?.();
      return { key: copy(value.key), value: copy(value.value) };
    } catch (error) {
      throw storeErrorFrom(error, this.#guards.directory, 'STORE_UNAVAILABLE');
    }
  }

  /**
   * Writes an entry. Only inside {@link Environment.transaction} or {@link Environment.batch}.
   * @throws STORE_KEY_INVALID, STORE_WRITE_FAILED
   */
  put(key: Uint8Array, value: Uint8Array): void {
    this.#guards.assertWritable();
    if (!isKey(key)) {
      throw new StoreError('STORE_KEY_INVALID', `A key of ${key.length} bytes cannot be stored.`, {
        hint: `Keys have 1 to ${limits.keyBytesMax} bytes.`,
        details: { directory: this.#guards.directory, keyBytes: key.length },
      });
    }
    this.#database.putSync(key, asBuffer(value));
  }

  /** Removes an entry; false where there is none. Only inside a transaction or batch. @throws STORE_WRITE_FAILED */
  remove(key: Uint8Array): boolean {
    this.#guards.assertWritable();
    return isKey(key) && this.#database.removeSync(key);
  }

  #read<T>(read: () => T): T {
    this.#guards.assertReadable();
    try {
      return read();
    } catch (error) {
      throw storeErrorFrom(error, this.#guards.directory, 'STORE_UNAVAILABLE');
    }
  }

  *#each<From, To>(source: Iterable<From>, to: (from: From) => To): Generator<To> {
    const iterator = source[Symbol.iterator]();
    try {
      while (true) {
        // At each step: the store may have been closed since the last one.
        const { done, value } = this.#read(() => iterator.next());
        if (done) return;
        yield to(value);
      }
    } finally {
      iterator.return?.();
    }
  }
}

/** What an {@link Environment} lets its databases do at this moment. */
interface Guards {
  readonly directory: string;
  readonly assertReadable: () => void;
  readonly assertWritable: () => void;
}

/** The smallest key above all keys with this prefix, or `undefined` when there is none. */
export function prefixEnd(prefix: Uint8Array): Uint8Array | undefined {
  const last = prefix.findLastIndex((byte) => byte !== 0xff);
  if (last === -1) return undefined;
  const end = Uint8Array.prototype.slice.call(prefix, 0, last + 1);
  end[last] = (end[last] ?? 0) + 1;
  return end;
}

// LMDB knows no empty key, so one zero byte stands for "from the first"; the longest key it takes for "to the last".
const firstKey = Buffer.from([0]);
const lastKey = Buffer.alloc(limits.keyBytesMax, 0xff);

function bounds({ prefix, start, end, reverse = false, limit }: Range) {
  const low = prefix ?? start ?? firstKey;
  const high = prefix ? (prefixEnd(prefix) ?? lastKey) : (end ?? lastKey);
  // In reverse, lmdb starts at the high end inclusive and stops before the low one.
  const ends = reverse
    ? { start: high, end: low, exclusiveStart: true, inclusiveEnd: true, reverse }
    : { start: low, end: high };
  return limit === undefined ? ends : { ...ends, limit };
}

/** No entry can have another key, so a read finds none and a write is refused. */
function isKey(key: Uint8Array): boolean {
  return key.length > 0 && key.length <= limits.keyBytesMax;
}

function copy(bytes: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
