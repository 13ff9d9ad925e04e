import { StoreError, storeErrorFrom } from './errors.ts';
import { limits } from './limits.ts';
import type { Entry, Range, Records } from './records.ts';

/**
 * A named, ordered map from bytes to bytes inside an {@link Environment}.
 *
 * Reads are synchronous: LMDB reads from memory-mapped pages and takes a microsecond or two. All reads of one turn of
 * the event loop see one snapshot. Keys have 1 to 1,978 bytes.
 */
export class Database {
  readonly #records: Records;
  readonly #count: () => number;
  readonly #guards: Guards;

  /** Made by {@link Environment.database}. */
  constructor(records: Records, count: () => number, guards: Guards) {
    this.#records = records;
    this.#count = count;
    this.#guards = guards;
  }

  /** A copy of the value, or `undefined`. @throws STORE_CORRUPT, STORE_CLOSED, as every read */
  get(key: Uint8Array): Uint8Array | undefined {
    if (!isKey(key)) return undefined;
    return this.#read(() => this.#records.get(key));
  }

  /** Whether there is an entry. Reads its value: keep large values beside a database of small ones, such as lengths. */
  has(key: Uint8Array): boolean {
    return isKey(key) && this.#read(() => this.#records.has(key));
  }

  /** Number of entries. Costs no walk. */
  count(): number {
    return this.#read(this.#count);
  }

  /** Entries in key order, all of one snapshot, which they hold on to until the consumer stops. */
  range(range: Range = {}): Generator<Entry> {
    return this.#each(() => this.#records.range(range));
  }

  /** Keys in order. */
  keys(range: Range = {}): Generator<Uint8Array> {
    return this.#each(() => this.#records.keys(range));
  }

  /** The last entry of a range, or `undefined`: one seek. */
  last(range: Range): Entry | undefined {
    this.#guards.assertReadable();
    try {
      return this.#records.last(range);
    } catch (error) {
      throw storeErrorFrom(error, this.#guards.directory, 'STORE_UNAVAILABLE');
    }
  }

  /**
   * Writes an entry. Only inside {@link Environment.transaction} or {@link Environment.batch}.
   * @throws STORE_KEY_INVALID, STORE_WRITE_FAILED, STORE_CORRUPT where the entry or its neighbour is damaged
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

  /** Removes an entry; false where there is none. Only inside a transaction or batch. @throws STORE_WRITE_FAILED, STORE_CORRUPT */
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
        // At each step: the store may have been closed since the last one.
        const { done, value } = this.#read(() => iterator.next());
        if (done) return;
        yield value;
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

/** No entry can have another key, so a read finds none and a write is refused. */
function isKey(key: Uint8Array): boolean {
  return key.length > 0 && key.length <= limits.keyBytesMax;
}
