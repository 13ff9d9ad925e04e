import type { Database as LmdbDatabase } from 'lmdb';

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
  readonly #assertWritable: () => void;

  /** Made by {@link Environment.database}. */
  constructor(database: LmdbDatabase<Buffer, Uint8Array>, assertWritable: () => void) {
    this.#database = database;
    this.#assertWritable = assertWritable;
  }

  /** A copy of the value, or `undefined`. */
  get(key: Uint8Array): Uint8Array | undefined {
    return this.#database.getBinary(key);
  }

  /** Whether there is an entry, without touching the pages of its value. */
  has(key: Uint8Array): boolean {
    return this.#database.doesExist(key);
  }

  /** Length of the value in bytes, or `undefined`; the value is not copied out. */
  size(key: Uint8Array): number | undefined {
    return this.#database.getBinaryFast(key)?.length;
  }

  /** Number of entries. Costs no walk. */
  count(): number {
    const stats: { entryCount?: number } = this.#database.getStats();
    return stats.entryCount ?? 0;
  }

  /** Entries in key order. Ends early without cost when the consumer stops. */
  *range(range: Range = {}): Generator<Entry> {
    for (const { key, value } of this.#database.getRange(bounds(range))) yield { key: copy(key), value: copy(value) };
  }

  /** Keys in order, without reading values. */
  *keys(range: Range = {}): Generator<Uint8Array> {
    for (const key of this.#database.getKeys(bounds(range))) yield copy(key);
  }

  /** The last entry of a range, or `undefined`: one seek. */
  last(range: Range): Entry | undefined {
    for (const entry of this.range({ ...range, reverse: true, limit: 1 })) return entry;
    return undefined;
  }

  /** Writes an entry. Only inside {@link Environment.transaction} or {@link Environment.batch}. */
  put(key: Uint8Array, value: Uint8Array): void {
    this.#assertWritable();
    this.#database.putSync(key, asBuffer(value));
  }

  /** Removes an entry; false where there is none. Only inside a transaction or batch. */
  remove(key: Uint8Array): boolean {
    this.#assertWritable();
    return this.#database.removeSync(key);
  }
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
const lastKey = Buffer.alloc(1978, 0xff);

function bounds({ prefix, start, end, reverse = false, limit }: Range) {
  const low = prefix ?? start ?? firstKey;
  const high = prefix ? (prefixEnd(prefix) ?? lastKey) : (end ?? lastKey);
  // In reverse, lmdb starts at the high end inclusive and stops before the low one.
  const ends = reverse
    ? { start: high, end: low, exclusiveStart: true, inclusiveEnd: true, reverse }
    : { start: low, end: high };
  return limit === undefined ? ends : { ...ends, limit };
}

function copy(bytes: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
