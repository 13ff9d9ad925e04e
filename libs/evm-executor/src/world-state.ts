import { type AccountChange, type AccountState, keccak256 } from '@cairn/block-model';
import { bytesOfKey, keyOf } from './key-of.ts';
import type { StateCache } from './state-cache.ts';

const noBytes = new Uint8Array(0);
/** Keccak-256 of no bytes: the code hash of accounts without code. */
export const emptyCodeHash = keccak256(noBytes);
/** Keccak-256 of the RLP of no bytes: the storage root of accounts without storage. */
const emptyTrieRoot = keccak256(new Uint8Array([0x80]));
const emptyCodeKey = keyOf(emptyCodeHash);

interface StorageLayer {
  readonly values: Map<string, Uint8Array>;
  /** The storage below is out of sight: it was replaced, or belonged to an account that was there before. */
  readonly isWhole: boolean;
}

/**
 * The state that one call sees and changes: a flat layer over a `StateCache` with a journal. Synchronous, and
 * gone with the call. Engines work on this and nothing else.
 */
export class WorldState {
  readonly #base: StateCache;
  readonly #accounts = new Map<string, AccountState | undefined>();
  readonly #codes = new Map<string, Uint8Array>();
  readonly #storage = new Map<string, StorageLayer>();
  /** What slots held when the message began, for those written since (EIP-2200). */
  readonly #originals = new Map<string, Uint8Array>();
  readonly #undo: (() => void)[] = [];
  readonly #checkpoints: number[] = [];
  /** What may have changed since changes were taken; undone writes may be in it. */
  #written = new Map<string, Set<string>>();
  /** The address that was asked for last, which most often is the next one too. Nobody changes its bytes. */
  #lastAddress: Uint8Array | undefined;
  #lastAddressKey = '';

  constructor(base: StateCache) {
    this.#base = base;
  }

  #keyOfAddress(address: Uint8Array): string {
    if (address === this.#lastAddress) return this.#lastAddressKey;
    this.#lastAddress = address;
    this.#lastAddressKey = keyOf(address);
    return this.#lastAddressKey;
  }

  /** `undefined` for an account that does not exist. */
  getAccount(address: Uint8Array): AccountState | undefined {
    const key = this.#keyOfAddress(address);
    const account = this.#accounts.get(key);
    if (account !== undefined || this.#accounts.has(key)) return account;
    return this.#base.getAccount(key, address);
  }

  getBalance(address: Uint8Array): bigint {
    return this.getAccount(address)?.balance ?? 0n;
  }

  getNonce(address: Uint8Array): bigint {
    return this.getAccount(address)?.nonce ?? 0n;
  }

  getCode(address: Uint8Array): Uint8Array {
    const account = this.getAccount(address);
    if (account === undefined) return noBytes;
    const key = keyOf(account.codeHash);
    if (key === emptyCodeKey) return noBytes;
    return this.#codes.get(key) ?? this.#base.getCode(key, account.codeHash);
  }

  /** Writes or, with `undefined`, removes an account. `account` must not change afterwards. */
  setAccount(address: Uint8Array, account: AccountState | undefined): void {
    const key = this.#keyOfAddress(address);
    this.#slotsWritten(key);
    const had = this.#accounts.has(key);
    const previous = this.#accounts.get(key);
    this.#accounts.set(key, account);
    this.#undo.push(() => {
      if (had) this.#accounts.set(key, previous);
      else this.#accounts.delete(key);
    });
  }

  /** Changes some fields of an account, which comes into being where it does not exist. */
  updateAccount(address: Uint8Array, fields: Partial<AccountState>): void {
    const before = this.getAccount(address);
    this.setAccount(address, {
      nonce: fields.nonce ?? before?.nonce ?? 0n,
      balance: fields.balance ?? before?.balance ?? 0n,
      codeHash: fields.codeHash ?? before?.codeHash ?? emptyCodeHash,
      // That of before the message, which is what a creation asks for (EIP-7610).
      ...(before?.storageRoot && { storageRoot: before.storageRoot }),
    });
  }

  /** Whether no contract can be created at an address: there is one, or there was (EIP-684, EIP-7610). */
  isTaken(address: Uint8Array): boolean {
    const account = this.getAccount(address);
    if (account === undefined) return false;
    const { nonce, codeHash, storageRoot } = account;
    if (nonce > 0n || Buffer.compare(codeHash, emptyCodeHash) !== 0) return true;
    return storageRoot !== undefined && Buffer.compare(storageRoot, emptyTrieRoot) !== 0;
  }

  setCode(address: Uint8Array, code: Uint8Array): void {
    const codeHash = keccak256(code);
    this.#codes.set(keyOf(codeHash), code);
    this.updateAccount(address, { codeHash });
  }

  /** The value at a 32-byte slot, without leading zeros; empty for zero. */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const addressKey = this.#keyOfAddress(address);
    return this.#storageAt(addressKey, keyOf(slot), address, slot);
  }

  /** What the slot held when the message began. */
  getOriginalStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#originals.get(this.#keyOfAddress(address) + keyOf(slot)) ?? this.getStorage(address, slot);
  }

  /** `value` without leading zeros; empty for zero. */
  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    const addressKey = this.#keyOfAddress(address);
    const slotKey = keyOf(slot);
    this.#slotsWritten(addressKey).add(slotKey);
    const originalKey = addressKey + slotKey;
    if (!this.#originals.has(originalKey)) {
      this.#originals.set(originalKey, this.#storageAt(addressKey, slotKey, address, slot));
    }
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
    const key = this.#keyOfAddress(address);
    this.#slotsWritten(key);
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

  /** Removes an account together with its storage. */
  removeAccount(address: Uint8Array): void {
    if (this.getAccount(address) === undefined) return;
    this.clearStorage(address);
    this.setAccount(address, undefined);
  }

  /** What became of accounts since the last call, for the computation of a state root. */
  takeChanges(): AccountChange[] {
    const changes = this.changes();
    this.#written = new Map();
    return changes;
  }

  /** The same, and the next call tells it again. What was taken back is among it, as it is now. */
  changes(): AccountChange[] {
    return [...this.#written].map(([key, slots]) => {
      const address = bytesOfKey(key);
      const layer = this.#storage.get(key);
      const isStorageCleared = layer?.isWhole === true;
      const keys = isStorageCleared ? [...layer.values.keys()] : [...slots];
      return {
        address,
        account: this.getAccount(address),
        isStorageCleared,
        slots: keys.map((slot) => [bytesOfKey(slot), this.#storageAt(key, slot, address, bytesOfKey(slot))] as const),
      };
    });
  }

  #slotsWritten(addressKey: string): Set<string> {
    let slots = this.#written.get(addressKey);
    if (slots === undefined) {
      slots = new Set();
      this.#written.set(addressKey, slots);
    }
    return slots;
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

  #storageAt(addressKey: string, slotKey: string, address: Uint8Array, slot: Uint8Array): Uint8Array {
    const layer = this.#storage.get(addressKey);
    const value = layer?.values.get(slotKey);
    if (value !== undefined) return value;
    return layer?.isWhole ? noBytes : this.#base.getStorage(addressKey + slotKey, address, slot);
  }
}
