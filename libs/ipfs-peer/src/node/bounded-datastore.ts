import { BaseDatastore, MemoryDatastore } from 'datastore-core';
import type { Datastore, Key, KeyQuery, Pair, Query } from 'interface-datastore';

export interface BoundedDatastoreOptions {
  readonly entriesMax: number;
  /** Larger values are not stored. */
  readonly valueBytesMax: number;
}

/**
 * Datastore in memory with a bound: the entry that was written or read longest ago makes room. js-libp2p keeps each peer
 * that it hears of, for hours, in a datastore without a bound.
 */
export class BoundedDatastore extends BaseDatastore implements Datastore {
  readonly #entries = new MemoryDatastore();
  /** Keys, the latest last. */
  readonly #order = new Map<string, Key>();
  readonly #options: BoundedDatastoreOptions;

  constructor(options: BoundedDatastoreOptions) {
    super();
    this.#options = options;
  }

  get size(): number {
    return this.#order.size;
  }

  override put(key: Key, value: Uint8Array): Key {
    if (value.byteLength > this.#options.valueBytesMax) return key;
    this.#touch(key);
    this.#entries.put(key, value);
    for (const oldest of this.#order.values()) {
      if (this.#order.size <= this.#options.entriesMax) break;
      this.delete(oldest);
    }
    return key;
  }

  override get(key: Key): Uint8Array {
    const value = this.#entries.get(key) as Uint8Array;
    this.#touch(key);
    return value;
  }

  override has(key: Key): boolean {
    return this.#order.has(key.toString());
  }

  override delete(key: Key): void {
    this.#order.delete(key.toString());
    this.#entries.delete(key);
  }

  override _all(query: Query): Generator<Pair> | AsyncGenerator<Pair> {
    return this.#entries._all(query) as Generator<Pair>;
  }

  override _allKeys(query: KeyQuery): Generator<Key> | AsyncGenerator<Key> {
    return this.#entries._allKeys(query) as Generator<Key>;
  }

  #touch(key: Key): void {
    const name = key.toString();
    this.#order.delete(name);
    this.#order.set(name, key);
  }
}
