// The state is plain maps with an undo log. SimpleStateManager is the oracle of journaled-state.spec.ts.

import { type Hex, hexFromBytes, type StateReader } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { bytesFromHexDigits } from '@cairn/platform';
import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { Account, type Address } from '@ethereumjs/util';

/** Changes since the last `takeChanges`. */
export interface StateChanges {
  /** Accounts by address; `undefined` for a deleted account. */
  readonly accounts: ReadonlyMap<Hex, Account | undefined>;
  /** Storage of accounts, by address. */
  readonly storage: ReadonlyMap<Hex, StorageChanges>;
  /** New code by keccak-256. */
  readonly codes: ReadonlyMap<Hex, Uint8Array>;
}

export interface StorageChanges {
  /** The storage was emptied before `slots` were written. */
  readonly isCleared: boolean;
  /** Values without leading zeros, by slot; empty for zero. */
  readonly slots: ReadonlyMap<Hex, Uint8Array>;
}

const empty = new Uint8Array(0);

/**
 * State manager of the `@ethereumjs` packages over a {@link StateReader}. Reads come from the reader. Writes stay in memory, and
 * `revert` undoes them. A subclass can compute state roots.
 */
export class JournaledState implements StateManagerInterface {
  readonly originalStorageCache: StateManagerInterface['originalStorageCache'];
  #reader: StateReader;
  readonly #accounts = new Map<Hex, Account | undefined>();
  readonly #storage = new Map<Hex, Map<Hex, Uint8Array>>();
  /** Accounts whose storage in the reader is no longer valid. */
  readonly #cleared = new Set<Hex>();
  readonly #codes = new Map<Hex, Uint8Array>();
  readonly #undo: (() => void)[] = [];
  readonly #checkpoints: number[] = [];
  readonly #original = new Map<string, Uint8Array>();
  #changedAccounts = new Set<Hex>();
  #changedStorage = new Map<Hex, { isCleared: boolean; readonly slots: Set<Hex> }>();
  #newCodes = new Map<Hex, Uint8Array>();

  constructor(reader: StateReader) {
    this.#reader = reader;
    this.originalStorageCache = {
      get: async (address, key) => {
        const at = `${address.toString()}${hexFromBytes(key)}`;
        const known = this.#original.get(at);
        if (known !== undefined) return known;
        const value = this.readStorage(address.toString(), key);
        this.#original.set(at, value);
        return value;
      },
      clear: () => this.#original.clear(),
    };
  }

  /** Returns the account without a copy; the caller must not change it. */
  readAccount(address: Hex): Account | undefined {
    if (this.#accounts.has(address)) return this.#accounts.get(address);
    const found = this.#reader.getAccount(bytesFromHexDigits(address.slice(2)));
    const account = found && new Account(found.nonce, found.balance, found.storageRoot, found.codeHash);
    this.#accounts.set(address, account);
    return account;
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const account = this.readAccount(address.toString());
    return account && copyOf(account);
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    this.#setAccount(address.toString(), account && copyOf(account));
  }

  #setAccount(address: Hex, account: Account | undefined): void {
    const before = this.readAccount(address);
    // The caller may have an older copy, whose storage root is outdated.
    if (account && before) account.storageRoot = before.storageRoot;
    this.#accounts.set(address, account);
    this.#changedAccounts.add(address);
    this.#undo.push(() => this.#accounts.set(address, before));
  }

  async deleteAccount(address: Address): Promise<void> {
    const key = address.toString();
    this.#clearStorage(key);
    this.#setAccount(key, undefined);
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const { nonce, balance, storageRoot, codeHash } = this.readAccount(address.toString()) ?? new Account();
    const changed = new Account(
      fields.nonce ?? nonce,
      fields.balance ?? balance,
      fields.storageRoot ?? storageRoot,
      fields.codeHash ?? codeHash,
    );
    this.#setAccount(address.toString(), changed);
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const codeHash = keccak256(code);
    const key = hexFromBytes(codeHash);
    this.#codes.set(key, code);
    if (code.length > 0) this.#newCodes.set(key, code);
    await this.modifyAccountFields(address, { codeHash });
  }

  async getCode(address: Address): Promise<Uint8Array> {
    const account = this.readAccount(address.toString());
    if (account === undefined || !account.isContract()) return empty;
    const key = hexFromBytes(account.codeHash);
    const known = this.#codes.get(key);
    if (known !== undefined) return known;
    const code = this.#reader.getCode(account.codeHash);
    this.#codes.set(key, code);
    return code;
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length;
  }

  /** Returns the value of a slot of 32 bytes, without leading zeros. */
  readStorage(address: Hex, slot: Uint8Array): Uint8Array {
    const key = hexFromBytes(slot);
    const slots = this.#slotsOf(address);
    const known = slots.get(key);
    if (known !== undefined) return known;
    const value = this.#cleared.has(address)
      ? empty
      : this.#reader.getStorage(bytesFromHexDigits(address.slice(2)), slot);
    slots.set(key, value);
    return value;
  }

  async getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    return this.readStorage(address.toString(), key);
  }

  async putStorage(address: Address, slot: Uint8Array, value: Uint8Array): Promise<void> {
    const at = address.toString();
    const key = hexFromBytes(slot);
    const before = this.readStorage(at, slot);
    const slots = this.#slotsOf(at);
    slots.set(key, withoutLeadingZeros(value));
    this.#changesOf(at).slots.add(key);
    this.#undo.push(() => slots.set(key, before));
  }

  async clearStorage(address: Address): Promise<void> {
    this.#clearStorage(address.toString());
  }

  #clearStorage(address: Hex): void {
    const slots = this.#slotsOf(address);
    const wasCleared = this.#cleared.has(address);
    const changes = this.#changesOf(address);
    const { isCleared } = changes;
    this.#storage.set(address, new Map());
    this.#cleared.add(address);
    changes.isCleared = true;
    this.#undo.push(() => {
      this.#storage.set(address, slots);
      if (!wasCleared) this.#cleared.delete(address);
      changes.isCleared = isCleared;
    });
  }

  #slotsOf(address: Hex): Map<Hex, Uint8Array> {
    const known = this.#storage.get(address);
    if (known) return known;
    const slots = new Map<Hex, Uint8Array>();
    this.#storage.set(address, slots);
    return slots;
  }

  #changesOf(address: Hex) {
    const known = this.#changedStorage.get(address);
    if (known) return known;
    const changes = { isCleared: false, slots: new Set<Hex>() };
    this.#changedStorage.set(address, changes);
    return changes;
  }

  async checkpoint(): Promise<void> {
    this.#checkpoints.push(this.#undo.length);
  }

  async commit(): Promise<void> {
    this.#checkpoints.pop();
    if (this.#checkpoints.length === 0) this.#undo.length = 0;
  }

  async revert(): Promise<void> {
    const length = this.#checkpoints.pop() ?? 0;
    while (this.#undo.length > length) this.#undo.pop()?.();
  }

  /** Returns the changes since the last call. Reverting them afterwards does not report them again. */
  takeChanges(): StateChanges {
    const accounts = new Map([...this.#changedAccounts].map((address) => [address, this.#accounts.get(address)]));
    const storage = new Map(
      [...this.#changedStorage].map(([address, { isCleared, slots }]) => [
        address,
        { isCleared, slots: new Map([...slots].map((slot) => [slot, this.#slotsOf(address).get(slot) ?? empty])) },
      ]),
    );
    const codes = this.#newCodes;
    this.#changedAccounts = new Set();
    this.#changedStorage = new Map();
    this.#newCodes = new Map();
    return { accounts, storage, codes };
  }

  /** Drops all reads and writes. */
  clearCaches(): void {
    for (const map of [
      this.#accounts,
      this.#storage,
      this.#codes,
      this.#original,
      this.#changedStorage,
      this.#newCodes,
    ])
      map.clear();
    this.#cleared.clear();
    this.#changedAccounts.clear();
    this.#undo.length = 0;
    this.#checkpoints.length = 0;
  }

  /** Switches to another state, which is cheaper than a new EVM. */
  reset(reader: StateReader): void {
    this.clearCaches();
    this.#reader = reader;
  }

  async getStateRoot(): Promise<Uint8Array> {
    throw new Error('JournaledState has no tries and computes no state root. Use a subclass that does.');
  }

  async setStateRoot(): Promise<void> {
    throw new Error('JournaledState stays at the block of its reader. Use reset() for another block.');
  }

  async hasStateRoot(): Promise<boolean> {
    return false;
  }

  shallowCopy(): JournaledState {
    return new JournaledState(this.#reader);
  }
}

function copyOf({ nonce, balance, storageRoot, codeHash }: Account): Account {
  return new Account(nonce, balance, storageRoot, codeHash);
}

function withoutLeadingZeros(value: Uint8Array): Uint8Array {
  let start = 0;
  while (start < value.length && value[start] === 0) start++;
  return start === 0 ? value : value.slice(start);
}
