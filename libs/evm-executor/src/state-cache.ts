import type { StateReader } from '@cairn/block-model';

/** An account as the executor holds it: immutable, and with its code once that was asked for. */
export interface AccountRecord {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** Keccak-256 of the code, 32 bytes. */
  readonly codeHash: Uint8Array;
  /** Read on demand by {@link StateCache.codeOf}. */
  code?: Uint8Array;
}

/** Bounds of what one {@link StateCache} keeps; at a bound it starts anew. */
export const stateCacheLimits = {
  accountsMax: 20_000, // About 4 MB.
  slotsMax: 100_000, // About 20 MB.
} as const;

const caches = new WeakMap<StateReader, StateCache>();

/**
 * What was read of one state, shared by all calls on it. Sound because the state after a block never changes; it lives
 * as long as its reader does.
 */
export class StateCache {
  readonly #reader: StateReader;
  #accounts = new Map<string, AccountRecord | undefined>();
  #slots = new Map<string, Uint8Array>();

  private constructor(reader: StateReader) {
    this.#reader = reader;
  }

  /** The cache that belongs to `reader`. */
  static of(reader: StateReader): StateCache {
    let cache = caches.get(reader);
    if (cache === undefined) {
      cache = new StateCache(reader);
      caches.set(reader, cache);
    }
    return cache;
  }

  account(key: string, address: Uint8Array): AccountRecord | undefined {
    const known = this.#accounts.get(key);
    if (known !== undefined || this.#accounts.has(key)) return known;
    const account = this.#reader.getAccount(address);
    const record = account && { nonce: account.nonce, balance: account.balance, codeHash: account.codeHash };
    if (this.#accounts.size >= stateCacheLimits.accountsMax) this.#accounts.clear();
    this.#accounts.set(key, record);
    return record;
  }

  codeOf(record: AccountRecord): Uint8Array {
    record.code ??= this.#reader.getCode(record.codeHash);
    return record.code;
  }

  slot(addressKey: string, slotKey: string, address: Uint8Array, slot: Uint8Array): Uint8Array {
    const key = addressKey + slotKey;
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const value = this.#reader.getStorage(address, slot);
    if (this.#slots.size >= stateCacheLimits.slotsMax) this.#slots.clear();
    this.#slots.set(key, value);
    return value;
  }
}
