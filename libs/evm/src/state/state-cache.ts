import type { AccountState, StateReader } from '@cairn/block-model';
import { bytesFromMapKey, mapKeyFromBytes } from './map-key.ts';

/** Bounds of the caches. A cache that reaches its bound is cleared. */
const stateCacheLimits = {
  accountsMax: 5_000, // Per state; about 2 MB.
  slotsMax: 10_000, // Per state; about 3 MB.
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
  readonly #slots = new Map<string, Map<string, Uint8Array>>();
  #slotCount = 0;

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

  /** @param addressKey key of the account @param key key of the slot */
  getStorage(addressKey: string, key: string, address: Uint8Array): Uint8Array {
    let slots = this.#slots.get(addressKey);
    const known = slots?.get(key);
    if (known !== undefined) return known;
    const value = this.#reader.getStorage(address, bytesFromMapKey(key));
    if (this.#slotCount >= stateCacheLimits.slotsMax) {
      this.#slots.clear();
      this.#slotCount = 0;
      slots = undefined;
    }
    if (slots === undefined) {
      slots = new Map();
      this.#slots.set(addressKey, slots);
    }
    slots.set(key, value);
    this.#slotCount++;
    return value;
  }
}
