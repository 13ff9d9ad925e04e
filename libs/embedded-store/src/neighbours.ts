// Hot path of every add and of every read of the EVM state: sealed-records.bench.ts, and tools/bench/peers.mjs, row `add 4 KiB`.
import { downwards, type Entry, firstKey, type LmdbTable } from './records.ts';

/**
 * Finds the records next to a key. A new range of lmdb costs three times the search, so all searches of a table share two ranges:
 * lmdb reads the options of a range when an iteration starts, and each iteration here ends before the next one.
 */
export class Neighbours {
  readonly #descending: { start: Uint8Array };
  readonly #ascending: { start: Uint8Array };
  readonly #records: Iterable<Entry>;
  readonly #keys: Iterable<Uint8Array>;

  constructor(table: LmdbTable) {
    const below = { ...downwards, start: firstKey, limit: 1 };
    this.#descending = below;
    this.#records = table.getRange(below);
    const from = { start: firstKey, limit: 1 };
    this.#ascending = from;
    this.#keys = table.getKeys(from);
  }

  /** Returns the record with the greatest key below this one. */
  before(key: Uint8Array): Entry | undefined {
    this.#descending.start = key;
    return firstOf(this.#records);
  }

  /** Returns the smallest key that is not below this one. */
  keyAtOrAfter(key: Uint8Array): Uint8Array | undefined {
    this.#ascending.start = key;
    return firstOf(this.#keys);
  }
}

/** Key and value are copies already: lmdb copies both out of its buffer. */
function firstOf<T>(iterable: Iterable<T>): T | undefined {
  const iterator = iterable[Symbol.iterator]();
  const { done, value } = iterator.next();
  if (done === true) return undefined;
  iterator.return?.();
  return value;
}
