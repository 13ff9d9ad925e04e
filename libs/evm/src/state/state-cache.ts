import type { AccountState, StateReader } from '@cairn/block-model';
import { viewOf } from '../interpreter/words.ts';
import { mapKeyFromBytes } from './map-key.ts';
import { SlotTable, wordIntegers } from './slot-table.ts';
import { readWordBytes, trimmedWordBytes, writeWordBytes } from './word-bytes.ts';

/** Bounds of the caches. A cache that reaches its bound is cleared. */
const stateCacheLimits = {
  accountsMax: 5_000, // Per state; about 2 MB.
  slotsMax: 10_000, // Per state; about 2 MB.
  codeBytesMax: 64 * 1024 * 1024, // All states together.
} as const;

const caches = new WeakMap<StateReader, StateCache>();

// Code is keyed by its hash, so that all states share it.
const codes = new Map<string, Uint8Array>();
/** The same cache, keyed by the identity of the array that contains the hash. */
let codesByHash = new WeakMap<Uint8Array, Uint8Array>();
let codeBytes = 0;

/**
 * Cache of the reads of one state, shared by all calls on it. Entries stay valid because the state after a block never
 * changes. A cache exists as long as its reader.
 */
export class StateCache {
  readonly #reader: StateReader;
  readonly #accounts = new Map<string, AccountState | undefined>();
  /** Ids of storages in {@link #slots}, by the key of their account. */
  readonly #storages = new Map<string, number>();
  /** Flat like the slots of a message: a Map per account takes three times the memory, and a key in text for each read. */
  #slots: SlotTable | undefined;

  /** Code of this state alone; `undefined` for a state that shares code. */
  readonly #ownCodes: Map<string, Uint8Array> | undefined;

  private constructor(reader: StateReader) {
    this.#reader = reader;
    this.#ownCodes = reader.isolatesCode === true ? new Map() : undefined;
  }

  /** Returns the cache of `reader` and creates it if needed. */
  static of(reader: StateReader): StateCache {
    let cache = caches.get(reader);
    if (cache === undefined) {
      cache = new StateCache(reader);
      caches.set(reader, cache);
    }
    return cache;
  }

  getAccount(key: string, address: Uint8Array): AccountState | undefined {
    const known = this.#accounts.get(key);
    if (known !== undefined || this.#accounts.has(key)) return known;
    const account = this.#reader.getAccount(address);
    if (this.#accounts.size >= stateCacheLimits.accountsMax) this.#accounts.clear();
    this.#accounts.set(key, account);
    return account;
  }

  /** Same as {@link getCode}, with a cache hit by identity if the same array is passed again. */
  getCodeOf(codeHash: Uint8Array): Uint8Array {
    let code = codesByHash.get(codeHash);
    if (code === undefined) {
      code = this.getCode(mapKeyFromBytes(codeHash), codeHash);
      codesByHash.set(codeHash, code);
    }
    return code;
  }

  getCode(key: string, codeHash: Uint8Array): Uint8Array {
    if (this.#ownCodes !== undefined) return this.#ownCode(this.#ownCodes, key, codeHash);
    const known = codes.get(key);
    if (known !== undefined) return known;
    const code = this.#reader.getCode(codeHash);
    codeBytes += code.length;
    if (codeBytes > stateCacheLimits.codeBytesMax) {
      codes.clear();
      codesByHash = new WeakMap();
      codeBytes = code.length;
    }
    codes.set(key, code);
    return code;
  }

  #ownCode(own: Map<string, Uint8Array>, key: string, codeHash: Uint8Array): Uint8Array {
    let code = own.get(key);
    if (code === undefined) {
      code = this.#reader.getCode(codeHash);
      own.set(key, code);
    }
    return code;
  }

  /** Reads the slot with the key at `source[at]` into `value`. @param addressKey key of the account */
  readSlot(addressKey: string, address: Uint8Array, source: Int32Array, at: number, value: Int32Array): void {
    const slots = this.#slots ?? this.#emptySlots();
    const storage = this.#storages.get(addressKey) ?? this.#storages.size;
    const known = slots.find(storage, source, at);
    if (known >= 0) {
      const from = known * wordIntegers;
      for (let index = 0; index < wordIntegers; index++) value[index] = slots.values[from + index] as number;
      return;
    }
    // The reader may keep the key.
    const key = new Uint8Array(32);
    writeWordBytes(source, at, viewOf(key));
    readWordBytes(this.#reader.getStorage(address, key), value);
    if (slots.count >= stateCacheLimits.slotsMax) {
      this.#emptySlots().add(0, source, at, value);
      this.#storages.set(addressKey, 0);
      return;
    }
    this.#storages.set(addressKey, storage);
    slots.add(storage, source, at, value);
  }

  /** Value of a slot without leading zeros; empty for zero. `slot` has 32 bytes. @param addressKey key of the account */
  getStorage(addressKey: string, address: Uint8Array, slot: Uint8Array): Uint8Array {
    // Not shared arrays: readers may read other states through this method.
    const words = new Int32Array(2 * wordIntegers);
    const value = words.subarray(wordIntegers);
    readWordBytes(slot, words);
    this.readSlot(addressKey, address, words, 0, value);
    return trimmedWordBytes(value, 0);
  }

  #emptySlots(): SlotTable {
    this.#storages.clear();
    this.#slots = new SlotTable();
    return this.#slots;
  }
}
