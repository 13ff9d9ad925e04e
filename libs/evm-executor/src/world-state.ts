import { keccak_256 } from '@noble/hashes/sha3.js';
import type { AccountRecord, StateCache } from './state-cache.ts';

const noBytes = new Uint8Array(0);
/** Keccak-256 of no bytes: the code hash of accounts without code. */
export const emptyCodeHash = keccak_256(noBytes);

interface StorageLayer {
  readonly values: Map<string, Uint8Array>;
  /** The storage below is out of sight: it was replaced, or belonged to an account that was there before. */
  readonly isWhole: boolean;
}

/**
 * The state that one call sees and changes: a flat layer over a {@link StateCache} with a journal. Synchronous, and
 * gone with the call. Engines work on this and nothing else.
 */
export class WorldState {
  readonly #base: StateCache;
  readonly #accounts = new Map<string, AccountRecord | undefined>();
  readonly #storage = new Map<string, StorageLayer>();
  /** What slots held when the message began, for those written since (EIP-2200). */
  readonly #originals = new Map<string, Uint8Array>();
  readonly #undo: (() => void)[] = [];
  readonly #checkpoints: number[] = [];

  constructor(base: StateCache) {
    this.#base = base;
  }

  /** `undefined` for an account that does not exist. */
  getAccount(address: Uint8Array): AccountRecord | undefined {
    const key = keyOf(address);
    const record = this.#accounts.get(key);
    if (record !== undefined || this.#accounts.has(key)) return record;
    return this.#base.account(key, address);
  }

  getBalance(address: Uint8Array): bigint {
    return this.getAccount(address)?.balance ?? 0n;
  }

  getNonce(address: Uint8Array): bigint {
    return this.getAccount(address)?.nonce ?? 0n;
  }

  getCode(address: Uint8Array): Uint8Array {
    const record = this.getAccount(address);
    return record === undefined ? noBytes : this.#base.codeOf(record);
  }

  /** Writes or, with `undefined`, removes an account. The record must not change afterwards. */
  setAccount(address: Uint8Array, record: AccountRecord | undefined): void {
    const key = keyOf(address);
    const had = this.#accounts.has(key);
    const previous = this.#accounts.get(key);
    this.#accounts.set(key, record);
    this.#undo.push(() => {
      if (had) this.#accounts.set(key, previous);
      else this.#accounts.delete(key);
    });
  }

  /** Changes some fields of an account, which comes into being where it does not exist. */
  updateAccount(address: Uint8Array, fields: { readonly nonce?: bigint; readonly balance?: bigint }): void {
    const before = this.getAccount(address);
    this.setAccount(address, {
      nonce: fields.nonce ?? before?.nonce ?? 0n,
      balance: fields.balance ?? before?.balance ?? 0n,
      codeHash: before?.codeHash ?? emptyCodeHash,
      ...(before?.code !== undefined && { code: before.code }),
    });
  }

  setCode(address: Uint8Array, code: Uint8Array): void {
    const before = this.getAccount(address);
    this.setAccount(address, {
      nonce: before?.nonce ?? 0n,
      balance: before?.balance ?? 0n,
      codeHash: code.length === 0 ? emptyCodeHash : keccak_256(code),
      code,
    });
  }

  /** The value at a 32-byte slot, without leading zeros; empty for zero. */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const addressKey = keyOf(address);
    const slotKey = keyOf(slot);
    const layer = this.#storage.get(addressKey);
    const value = layer?.values.get(slotKey);
    if (value !== undefined) return value;
    return layer?.isWhole ? noBytes : this.#base.slot(addressKey, slotKey, address, slot);
  }

  /** What the slot held when the message began. */
  getOriginalStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#originals.get(keyOf(address) + keyOf(slot)) ?? this.getStorage(address, slot);
  }

  /** `value` without leading zeros; empty for zero. */
  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    const addressKey = keyOf(address);
    const slotKey = keyOf(slot);
    const originalKey = addressKey + slotKey;
    if (!this.#originals.has(originalKey)) this.#originals.set(originalKey, this.getStorage(address, slot));
    let layer = this.#storage.get(addressKey);
    if (layer === undefined) {
      layer = { values: new Map(), isWhole: false };
      this.#storage.set(addressKey, layer);
    }
    const { values } = layer;
    const previous = values.get(slotKey);
    values.set(slotKey, value);
    this.#undo.push(() => {
      if (previous === undefined) values.delete(slotKey);
      else values.set(slotKey, previous);
    });
  }

  /** Empties the storage of an account. */
  clearStorage(address: Uint8Array): void {
    const key = keyOf(address);
    const previous = this.#storage.get(key);
    this.#storage.set(key, { values: new Map(), isWhole: true });
    this.#undo.push(() => {
      if (previous === undefined) this.#storage.delete(key);
      else this.#storage.set(key, previous);
    });
  }

  /** What was done up to now is where the message begins: it cannot be undone, and slots have it as their original. */
  begin(): void {
    this.#undo.length = 0;
    this.#checkpoints.length = 0;
    this.#originals.clear();
  }

  checkpoint(): void {
    this.#checkpoints.push(this.#undo.length);
  }

  /** Keeps what was done since the last checkpoint. */
  commit(): void {
    this.#checkpoints.pop();
  }

  /** Takes back what was done since the last checkpoint. */
  revert(): void {
    const length = this.#checkpoints.pop() ?? 0;
    while (this.#undo.length > length) this.#undo.pop()?.();
  }
}

/** One character per byte: the cheapest key of bytes that a Map takes. */
function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).latin1Slice();
}
