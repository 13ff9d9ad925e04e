import { type AccountChange, type AccountState, hexFromBytes, keccak256 } from '@cairn/block-model';
import { compareBytes } from '@cairn/platform';
import { isEmptyTrieRoot } from '@cairn/trie';
import { ContractNotAllowedError } from '../errors.ts';
import { mapKeyOfAddress } from './addresses.ts';
import { changedSlots } from './changed-slots.ts';
import type { ContractGuard } from './contract-guard.ts';
import { delegationOf } from './delegation.ts';
import { bytesFromMapKey, mapKeyFromBytes } from './map-key.ts';
import { SlotTable, wordIntegers } from './slot-table.ts';
import type { StateCache } from './state-cache.ts';
import { readWordBytes, trimmedWordBytes } from './word-bytes.ts';

/** Keccak-256 of no bytes: the code hash of accounts without code. */
export const emptyCodeHash = keccak256(new Uint8Array(0));
const emptyCodeKey = mapKeyFromBytes(emptyCodeHash);

/** Storage of one account. Emptying it replaces the object. */
interface Storage {
  /** Id in the slot table. */
  readonly id: number;
  /** Slots of the base state are hidden: the storage was emptied, or belonged to a removed account. */
  readonly hidesBase: boolean;
  /** Storage before it was emptied. Its warm slots stay warm (EIP-2930 can warm slots of a contract that is created later). */
  readonly previous: Storage | undefined;
}

interface Checkpoint {
  readonly undo: number;
  readonly slots: number;
}

/** Slot tables of released worlds, for reuse. */
const spareTables: SlotTable[] = [];
const spareTablesMax = 4;

// Buffers for one read or write.
const keyWords = new Int32Array(wordIntegers);
const valueWords = new Int32Array(wordIntegers);

/**
 * State that one call reads and writes: a journaled layer over a `StateCache`, discarded after the call. Engines access
 * state only through this class.
 */
export class WorldState {
  /** Restricts the accounts that can be read, for every engine. */
  guard: ContractGuard | undefined;
  readonly #base: StateCache;
  readonly #accounts = new Map<string, AccountState | undefined>();
  #codes: Map<string, Uint8Array> | undefined;
  #storages: Map<string, Storage> | undefined;
  #storageCount = 0;
  #slots: SlotTable | undefined;
  readonly #undo: (() => void)[] = [];
  readonly #checkpoints: Checkpoint[] = [];
  /** Map keys of accounts written since {@link takeChanges}. Reverted writes are included. */
  #written = new Set<string>();
  /** Account of the last storage access, usually also that of the next one. Compared by identity: callers do not modify addresses. */
  #lastAddress: Uint8Array | undefined;
  #lastStorage: Storage | undefined;

  constructor(base: StateCache) {
    this.#base = base;
  }

  /** Returns an account, or `undefined` if it does not exist. @throws CONTRACT_NOT_ALLOWED if {@link guard} excludes it */
  getAccount(address: Uint8Array): AccountState | undefined {
    const key = mapKeyOfAddress(address);
    const known = this.#accounts.get(key);
    const account = known !== undefined || this.#accounts.has(key) ? known : this.#base.getAccount(key, address);
    if (this.guard !== undefined && account !== undefined) this.#check(this.guard, key, account);
    return account;
  }

  /** @throws CONTRACT_NOT_ALLOWED */
  #check(guard: ContractGuard, key: string, account: AccountState): void {
    if (guard.isOpen(key)) return;
    const code = this.#codeOf(account);
    if (code.length === 0 || delegationOf(code) !== undefined) return;
    throw new ContractNotAllowedError(hexFromBytes(bytesFromMapKey(key)));
  }

  getBalance(address: Uint8Array): bigint {
    return this.getAccount(address)?.balance ?? 0n;
  }

  getNonce(address: Uint8Array): bigint {
    return this.getAccount(address)?.nonce ?? 0n;
  }

  getCode(address: Uint8Array): Uint8Array {
    const account = this.getAccount(address);
    return account === undefined ? noBytes : this.#codeOf(account);
  }

  #codeOf(account: AccountState): Uint8Array {
    if (account.codeHash === emptyCodeHash) return noBytes;
    if (this.#codes === undefined) return this.#base.getCodeOf(account.codeHash);
    const key = mapKeyFromBytes(account.codeHash);
    if (key === emptyCodeKey) return noBytes;
    return this.#codes.get(key) ?? this.#base.getCode(key, account.codeHash);
  }

  /** Writes an account, or removes it with `undefined`. The caller must not modify `account` afterwards. */
  setAccount(address: Uint8Array, account: AccountState | undefined): void {
    const key = mapKeyOfAddress(address);
    this.#written.add(key);
    const had = this.#accounts.has(key);
    const previous = this.#accounts.get(key);
    this.#accounts.set(key, account);
    this.#undo.push(() => {
      if (had) this.#accounts.set(key, previous);
      else this.#accounts.delete(key);
    });
  }

  /** Changes some fields of an account and creates it if it does not exist. */
  updateAccount(address: Uint8Array, fields: Partial<AccountState>): void {
    const before = this.getAccount(address);
    const nonce = fields.nonce ?? before?.nonce ?? 0n;
    const balance = fields.balance ?? before?.balance ?? 0n;
    const codeHash = fields.codeHash ?? before?.codeHash ?? emptyCodeHash;
    // The root before the message is kept: a creation checks it (EIP-7610).
    const storageRoot = before?.storageRoot;
    this.setAccount(address, storageRoot ? { nonce, balance, codeHash, storageRoot } : { nonce, balance, codeHash });
  }

  /** Reports whether creating a contract at an address would collide (EIP-684, EIP-7610). */
  isOccupied(address: Uint8Array): boolean {
    const account = this.getAccount(address);
    if (account === undefined) return false;
    const { nonce, codeHash, storageRoot } = account;
    if (nonce > 0n || compareBytes(codeHash, emptyCodeHash) !== 0) return true;
    return storageRoot !== undefined && !isEmptyTrieRoot(storageRoot);
  }

  /** @param codeHash keccak-256 of the code, if it is known */
  setCode(address: Uint8Array, code: Uint8Array, codeHash = keccak256(code)): void {
    this.#codes ??= new Map();
    this.#codes.set(mapKeyFromBytes(codeHash), code);
    this.updateAccount(address, { codeHash });
    this.guard?.open(mapKeyOfAddress(address));
  }

  /** Table of accessed slots. Do not keep it beyond the message. */
  get slots(): SlotTable {
    this.#slots ??= spareTables.pop() ?? new SlotTable();
    return this.#slots;
  }

  /** Returns the entry in {@link slots} for the slot with the key at `source[at]`, and adds it if needed. */
  slotEntry(address: Uint8Array, source: Int32Array, at: number): number {
    const storage = this.#storageOf(address);
    const known = this.slots.find(storage.id, source, at);
    if (known >= 0) return known;
    if (storage.hidesBase) valueWords.fill(0);
    else this.#base.readSlot(mapKeyOfAddress(address), address, source, at, valueWords);
    const entry = this.slots.add(storage.id, source, at, valueWords);
    if (storage.previous !== undefined && this.#isWarmIn(storage.previous, source, at)) this.slots.markWarm(entry);
    return entry;
  }

  /** Writes the word at `source[at]` to a slot. */
  writeSlot(address: Uint8Array, entry: number, source: Int32Array, at: number): void {
    this.#written.add(mapKeyOfAddress(address));
    this.slots.write(entry, source, at);
  }

  /** Value of a slot without leading zeros; empty for zero. `slot` has 32 bytes. */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    readWordBytes(slot, keyWords);
    const entry = this.slotEntry(address, keyWords, 0);
    return trimmedWordBytes(this.slots.values, entry * wordIntegers);
  }

  /** Value of a slot at the start of the message. */
  getOriginalStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    readWordBytes(slot, keyWords);
    const entry = this.slotEntry(address, keyWords, 0);
    return trimmedWordBytes(this.slots.originals, entry * wordIntegers);
  }

  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    readWordBytes(slot, keyWords);
    const entry = this.slotEntry(address, keyWords, 0);
    readWordBytes(value, valueWords);
    this.writeSlot(address, entry, valueWords, 0);
  }

  /** Marks a slot as warm (EIP-2929). */
  warmSlot(address: Uint8Array, slot: Uint8Array): void {
    readWordBytes(slot, keyWords);
    this.slots.accessWasCold(this.slotEntry(address, keyWords, 0));
  }

  #isWarmIn(storage: Storage | undefined, source: Int32Array, at: number): boolean {
    for (let each = storage; each !== undefined; each = each.previous) {
      const entry = this.slots.find(each.id, source, at);
      if (entry >= 0) return this.slots.isWarm(entry);
    }
    return false;
  }

  #storageOf(address: Uint8Array): Storage {
    if (address === this.#lastAddress && this.#lastStorage !== undefined) return this.#lastStorage;
    const key = mapKeyOfAddress(address);
    const storage = this.#storages?.get(key) ?? this.#beginStorage(key);
    this.#lastAddress = address;
    this.#lastStorage = storage;
    return storage;
  }

  #beginStorage(key: string, previous?: Storage): Storage {
    const storage = { id: this.#storageCount++, hidesBase: previous !== undefined, previous };
    this.#storages ??= new Map();
    this.#storages.set(key, storage);
    return storage;
  }

  /** Empties the storage of an account. */
  clearStorage(address: Uint8Array): void {
    const key = mapKeyOfAddress(address);
    this.#written.add(key);
    const previous = this.#storages?.get(key) ?? this.#beginStorage(key);
    this.#beginStorage(key, previous);
    this.#lastAddress = undefined;
    this.#undo.push(() => {
      this.#storages?.set(key, previous);
      this.#lastAddress = undefined;
    });
  }

  /** Starts a message: earlier writes can no longer be reverted, their values become the original ones, and all slots are cold. */
  beginMessage(): void {
    this.#undo.length = 0;
    this.#checkpoints.length = 0;
    this.#slots?.beginMessage();
  }

  /** Returns buffers for reuse by other worlds. Do not use this world afterwards. */
  release(): void {
    const slots = this.#slots;
    this.#slots = undefined;
    if (slots !== undefined && spareTables.length < spareTablesMax && slots.clear()) spareTables.push(slots);
  }

  /** Removes an account together with its storage. */
  removeAccount(address: Uint8Array): void {
    if (this.getAccount(address) === undefined) return;
    this.clearStorage(address);
    this.setAccount(address, undefined);
  }

  /** Returns the changes since the previous call, for the computation of a state root. */
  takeChanges(): AccountChange[] {
    const changes = this.changes();
    this.#written = new Set();
    this.#slots?.clearChanged();
    return changes;
  }

  /** Returns the same without resetting them. Reverted writes are included, with their current values. */
  changes(): AccountChange[] {
    const slotsOf = this.#changedSlots();
    return [...this.#written].map((key) => {
      const address = bytesFromMapKey(key);
      const storage = this.#storages?.get(key);
      const isStorageCleared = storage?.hidesBase === true;
      const account = this.getAccount(address);
      const code = account && this.#codes?.get(mapKeyFromBytes(account.codeHash));
      return {
        address,
        account,
        ...(code && { code }),
        isStorageCleared,
        slots: (storage && slotsOf.get(storage.id)) ?? [],
      };
    });
  }

  #changedSlots(): ReturnType<typeof changedSlots> {
    if (this.#slots === undefined) return new Map();
    const storages = [...(this.#storages?.values() ?? [])];
    return changedSlots(this.#slots, new Set(storages.filter(({ hidesBase }) => hidesBase).map(({ id }) => id)));
  }

  checkpoint(): void {
    this.#checkpoints.push({ undo: this.#undo.length, slots: this.slots.checkpoint() });
  }

  /** Keeps the writes since the last checkpoint. */
  commit(): void {
    this.#checkpoints.pop();
    this.#slots?.resume(this.#checkpoints.at(-1)?.slots ?? 0);
  }

  /** Undoes the writes since the last checkpoint. */
  revert(): void {
    const { undo, slots } = this.#checkpoints.pop() ?? { undo: 0, slots: 0 };
    while (this.#undo.length > undo) this.#undo.pop()?.();
    this.#slots?.revert(slots);
    this.#slots?.resume(this.#checkpoints.at(-1)?.slots ?? 0);
  }
}

const noBytes = new Uint8Array(0);
