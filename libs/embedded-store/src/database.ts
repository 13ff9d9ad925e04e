import { StoreError, storeErrorFrom } from './errors.ts';
import { limits } from './limits.ts';
import type { Entry, Range, Records } from './records.ts';

/**
 * A named, ordered map from bytes to bytes in an {@link Environment}.
 *
 * Reads are synchronous and take 1 to 2 µs, since LMDB reads memory-mapped pages. All reads of one turn of the event loop
 * see one snapshot. Keys have 1 to 1,978 bytes.
 */
export class Database {
  readonly #records: Records;
  readonly #count: () => number;
  readonly #guards: Guards;

  /** Called by {@link Environment.database} only. */
  constructor(records: Records, count: () => number, guards: Guards) {
    this.#records = records;
    this.#count = count;
    this.#guards = guards;
  }

  /** Returns a copy of the value, or `undefined`. @throws STORE_CORRUPT, STORE_CLOSED, as every read */
  get(key: Uint8Array): Uint8Array | undefined {
    if (!isKey(key)) return undefined;
    this.#guards.assertReadable();
    // Without a closure, as most reads: see the row `add 4 KiB` of tools/bench/peers.mjs.
    try {
      return this.#records.get(key);
    } catch (error) {
      throw storeErrorFrom(error, this.#guards.directory, 'STORE_UNAVAILABLE');
    }
  }

  /**
   * Like {@link get}, but a lost record reads as absent: the neighbours of an absent key are not verified. Use it where a later
   * {@link get} of the same key decides.
   */
  peek(key: Uint8Array): Uint8Array | undefined {
    return isKey(key) ? this.#read(() => this.#records.peek(key)) : undefined;
  }

  /**
   * Copies a value into a buffer of the caller, as far as it fits. Large values that are read often then need no memory of
   * their own, which the garbage collector would have to find.
   * @returns the length of the value; `undefined` without an entry
   */
  copyTo(key: Uint8Array, into: Uint8Array): number | undefined {
    if (!isKey(key)) return undefined;
    return this.#read(() => this.#records.copyTo(key, into));
  }

  /**
   * Reports whether an entry exists. Reads its value, so store large values and small ones, such as lengths, in separate
   * databases.
   */
  has(key: Uint8Array): boolean {
    return isKey(key) && this.#read(() => this.#records.has(key));
  }

  /** Returns the number of entries, from the statistics of LMDB. */
  count(): number {
    return this.#read(this.#count);
  }

  /** Iterates over entries in key order, in one snapshot, which is released when the consumer stops. */
  range(range: Range = {}): Generator<Entry> {
    return this.#each(() => this.#records.range(range));
  }

  /** Iterates over keys in order. */
  keys(range: Range = {}): Generator<Uint8Array> {
    return this.#each(() => this.#records.keys(range));
  }

  /** Returns the last entry of a range, or `undefined`. One seek. */
  last(range: Range): Entry | undefined {
    this.#guards.assertReadable();
    try {
      return this.#records.last(range);
    } catch (error) {
      throw storeErrorFrom(error, this.#guards.directory, 'STORE_UNAVAILABLE');
    }
  }

  /**
   * Writes an entry, inside {@link Environment.transaction} or {@link Environment.batch} only.
   * @throws STORE_KEY_INVALID, STORE_WRITE_FAILED; STORE_CORRUPT if the entry or its neighbour is damaged
   */
  put(key: Uint8Array, value: Uint8Array): void {
    this.#guards.assertWritable();
    if (!isKey(key)) {
      throw new StoreError('STORE_KEY_INVALID', `A key of ${key.length} bytes cannot be stored.`, {
        hint: `Keys have 1 to ${limits.keyBytesMax} bytes.`,
        details: { directory: this.#guards.directory, keyBytes: key.length },
      });
    }
    this.#records.put(key, value);
  }

  /** Removes an entry, inside a transaction or batch only; false without an entry. @throws STORE_WRITE_FAILED, STORE_CORRUPT */
  remove(key: Uint8Array): boolean {
    this.#guards.assertWritable();
    return isKey(key) && this.#records.remove(key);
  }

  #read<T>(read: () => T): T {
    this.#guards.assertReadable();
    try {
      return read();
    } catch (error) {
      throw storeErrorFrom(error, this.#guards.directory, 'STORE_UNAVAILABLE');
    }
  }

  *#each<T>(open: () => Iterable<T>): Generator<T> {
    const iterator = this.#read(() => open()[Symbol.iterator]());
    try {
      while (true) {
        // Guarded at each step, since the store may have been closed since the last one.
        const { done, value } = this.#read(() => iterator.next());
        if (done) return;
        yield value;
      }
    } finally {
      iterator.return?.();
    }
  }
}

/** Checks by which an {@link Environment} restricts its databases. */
interface Guards {
  readonly directory: string;
  readonly assertReadable: () => void;
  readonly assertWritable: () => void;
}

/** Reports whether an entry can have this key. For another key a read finds nothing and a write is refused. */
function isKey(key: Uint8Array): boolean {
  return key.length > 0 && key.length <= limits.keyBytesMax;
}
