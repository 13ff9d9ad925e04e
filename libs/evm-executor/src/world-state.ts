import { type AccountChange, type AccountState, hexFromBytes, keccak256 } from '@cairn/block-model';
import { compareBytes } from '@cairn/platform';
import { keyOfAddress } from './addresses.ts';
import { delegationOf } from './authorizations.ts';
import type { ContractGuard } from './contract-guard.ts';
import { viewOf } from './engine/interpreter/words.ts';
import { ContractNotAllowedError } from './errors.ts';
import { bytesOfKey, keyOf } from './key-of.ts';
import { SlotTable, wordIntegers } from './slot-table.ts';
import type { StateCache } from './state-cache.ts';

/** Keccak-256 of no bytes: the code hash of accounts without code. */
export const emptyCodeHash = keccak256(new Uint8Array(0));
/** Keccak-256 of the RLP of no bytes: the storage root of accounts without storage. */
const emptyTrieRoot = keccak256(new Uint8Array([0x80]));
const emptyCodeKey = keyOf(emptyCodeHash);

/** The storage of an account. Another one takes its place where it is emptied. */
interface Storage {
  /** Its number in the slot table. */
  readonly number: number;
  /** The storage below is out of sight: it was replaced, or belonged to an account that was there before. */
  readonly isWhole: boolean;
  /** What was emptied. Slots that were warm there are warm here (EIP-2930 warms those of contracts that are yet to be). */
  readonly before: Storage | undefined;
}

interface Checkpoint {
  readonly undo: number;
  readonly slots: number;
}

/** Tables of worlds that have ended, for those that come. */
const spareTables: SlotTable[] = [];
const spareTablesMax = 4;

// Of one read or write at a time.
const nameWords = new Int32Array(wordIntegers);
const valueWords = new Int32Array(wordIntegers);
const nameBytes = new Uint8Array(32);
const nameView = viewOf(nameBytes);

/**
 * The state that one call sees and changes: a flat layer over a `StateCache` with a journal. Synchronous, and
 * gone with the call. Engines work on this and nothing else.
 */
export class WorldState {
  /** Limits the accounts that can be read. Engines read everything through this class, so that it holds for all of them. */
  guard: ContractGuard | undefined;
  readonly #base: StateCache;
  readonly #accounts = new Map<string, AccountState | undefined>();
  #codes: Map<string, Uint8Array> | undefined;
  #storages: Map<string, Storage> | undefined;
  #storageCount = 0;
  #slots: SlotTable | undefined;
  readonly #undo: (() => void)[] = [];
  readonly #checkpoints: Checkpoint[] = [];
  /** Addresses of what may have changed since changes were taken; undone writes may be among it. */
  #written = new Set<string>();
  /** The account whose storage was asked for last, which most often is the next one too. Nobody changes its bytes. */
  #lastAddress: Uint8Array | undefined;
  #lastStorage: Storage | undefined;

  constructor(base: StateCache) {
    this.#base = base;
  }

  /** `undefined` for an account that does not exist. @throws CONTRACT_NOT_ALLOWED where {@link guard} excludes it */
  getAccount(address: Uint8Array): AccountState | undefined {
    const key = keyOfAddress(address);
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
    throw new ContractNotAllowedError(hexFromBytes(bytesOfKey(key)));
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
    const key = keyOf(account.codeHash);
    if (key === emptyCodeKey) return noBytes;
    return this.#codes.get(key) ?? this.#base.getCode(key, account.codeHash);
  }

  /** Writes or, with `undefined`, removes an account. `account` must not change afterwards. */
  setAccount(address: Uint8Array, account: AccountState | undefined): void {
    const key = keyOfAddress(address);
    this.#written.add(key);
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
    const nonce = fields.nonce ?? before?.nonce ?? 0n;
    const balance = fields.balance ?? before?.balance ?? 0n;
    const codeHash = fields.codeHash ?? before?.codeHash ?? emptyCodeHash;
    // That of before the message, which is what a creation asks for (EIP-7610).
    const storageRoot = before?.storageRoot;
    this.setAccount(address, storageRoot ? { nonce, balance, codeHash, storageRoot } : { nonce, balance, codeHash });
  }

  /** Whether no contract can be created at an address: there is one, or there was (EIP-684, EIP-7610). */
  isTaken(address: Uint8Array): boolean {
    const account = this.getAccount(address);
    if (account === undefined) return false;
    const { nonce, codeHash, storageRoot } = account;
    if (nonce > 0n || compareBytes(codeHash, emptyCodeHash) !== 0) return true;
    return storageRoot !== undefined && compareBytes(storageRoot, emptyTrieRoot) !== 0;
  }

  setCode(address: Uint8Array, code: Uint8Array): void {
    const codeHash = keccak256(code);
    this.#codes ??= new Map();
    this.#codes.set(keyOf(codeHash), code);
    this.updateAccount(address, { codeHash });
    this.guard?.open(keyOfAddress(address));
  }

  /** The table that slots are in. It may be another one in the next message. */
  get slots(): SlotTable {
    this.#slots ??= spareTables.pop() ?? new SlotTable();
    return this.#slots;
  }

  /** The entry of a slot in {@link slots}; its name is a word at a place of `source`. */
  slotEntry(address: Uint8Array, source: Int32Array, at: number): number {
    const storage = this.#storageOf(address);
    const known = this.slots.find(storage.number, source, at);
    if (known >= 0) return known;
    if (storage.isWhole) valueWords.fill(0);
    else {
      putBytes(source, at, nameView);
      readBytes(this.#base.getStorage(keyOfAddress(address), keyOf(nameBytes), address), valueWords);
    }
    const entry = this.slots.add(storage.number, source, at, valueWords);
    if (storage.before !== undefined && this.#isWarmIn(storage.before, source, at)) this.slots.bearWarm(entry);
    return entry;
  }

  /** Writes the word at a place of `source` into a slot. */
  writeSlot(address: Uint8Array, entry: number, source: Int32Array, at: number): void {
    this.#written.add(keyOfAddress(address));
    this.slots.write(entry, source, at);
  }

  /** The value at a 32-byte slot, without leading zeros; empty for zero. */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    readBytes(slot, nameWords);
    const entry = this.slotEntry(address, nameWords, 0);
    return trimmedBytes(this.slots.values, entry * wordIntegers);
  }

  /** What the slot held when the message began. */
  getOriginalStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    readBytes(slot, nameWords);
    const entry = this.slotEntry(address, nameWords, 0);
    return trimmedBytes(this.slots.originals, entry * wordIntegers);
  }

  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    readBytes(slot, nameWords);
    const entry = this.slotEntry(address, nameWords, 0);
    readBytes(value, valueWords);
    this.writeSlot(address, entry, valueWords, 0);
  }

  /** Makes a slot of 32 bytes warm (EIP-2929). */
  warmSlot(address: Uint8Array, slot: Uint8Array): void {
    readBytes(slot, nameWords);
    this.slots.warm(this.slotEntry(address, nameWords, 0));
  }

  #isWarmIn(storage: Storage | undefined, source: Int32Array, at: number): boolean {
    for (let each = storage; each !== undefined; each = each.before) {
      const entry = this.slots.find(each.number, source, at);
      if (entry >= 0) return this.slots.isWarm(entry);
    }
    return false;
  }

  #storageOf(address: Uint8Array): Storage {
    if (address === this.#lastAddress && this.#lastStorage !== undefined) return this.#lastStorage;
    const key = keyOfAddress(address);
    const storage = this.#storages?.get(key) ?? this.#beginStorage(key);
    this.#lastAddress = address;
    this.#lastStorage = storage;
    return storage;
  }

  #beginStorage(key: string, before?: Storage): Storage {
    const storage = { number: this.#storageCount++, isWhole: before !== undefined, before };
    this.#storages ??= new Map();
    this.#storages.set(key, storage);
    return storage;
  }

  /** Empties the storage of an account. */
  clearStorage(address: Uint8Array): void {
    const key = keyOfAddress(address);
    this.#written.add(key);
    const previous = this.#storages?.get(key) ?? this.#beginStorage(key);
    this.#beginStorage(key, previous);
    this.#lastAddress = undefined;
    this.#undo.push(() => {
      this.#storages?.set(key, previous);
      this.#lastAddress = undefined;
    });
  }

  /** What was done up to now is where the message begins: it cannot be undone, slots have it as their original and are cold. */
  begin(): void {
    this.#undo.length = 0;
    this.#checkpoints.length = 0;
    this.#slots?.begin();
  }

  /** Lets go of what can serve other worlds. This one must not be used any more. */
  end(): void {
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

  /** What became of accounts since the last call, for the computation of a state root. */
  takeChanges(): AccountChange[] {
    const changes = this.changes();
    this.#written = new Set();
    this.#slots?.takeNews();
    return changes;
  }

  /** The same, and the next call tells it again. What was taken back is among it, as it is now. */
  changes(): AccountChange[] {
    const slotsOf = this.#changedSlots();
    return [...this.#written].map((key) => {
      const address = bytesOfKey(key);
      const storage = this.#storages?.get(key);
      const isStorageCleared = storage?.isWhole === true;
      const account = this.getAccount(address);
      const code = account && this.#codes?.get(keyOf(account.codeHash));
      return {
        address,
        account,
        ...(code && { code }),
        isStorageCleared,
        slots: (storage && slotsOf.get(storage.number)) ?? [],
      };
    });
  }

  /** By storage: what was written since changes were taken, and of those that were emptied all that was written. */
  #changedSlots(): Map<number, (readonly [Uint8Array, Uint8Array])[]> {
    const changed = new Map<number, (readonly [Uint8Array, Uint8Array])[]>();
    const table = this.#slots;
    if (table === undefined) return changed;
    const whole = new Set([...(this.#storages?.values() ?? [])].flatMap((each) => (each.isWhole ? [each.number] : [])));
    for (let entry = 0; entry < table.count; entry++) {
      const storage = table.storageOf(entry);
      if (!(whole.has(storage) ? table.wasWritten(entry) : table.isNews(entry))) continue;
      const slot = new Uint8Array(32);
      putBytes(table.names, entry * wordIntegers, viewOf(slot));
      const slots = changed.get(storage) ?? [];
      slots.push([slot, trimmedBytes(table.values, entry * wordIntegers)]);
      changed.set(storage, slots);
    }
    return changed;
  }

  checkpoint(): void {
    this.#checkpoints.push({ undo: this.#undo.length, slots: this.slots.checkpoint() });
  }

  /** Keeps what was done since the last checkpoint. */
  commit(): void {
    this.#checkpoints.pop();
    this.#slots?.resume(this.#checkpoints.at(-1)?.slots ?? 0);
  }

  /** Takes back what was done since the last checkpoint. */
  revert(): void {
    const { undo, slots } = this.#checkpoints.pop() ?? { undo: 0, slots: 0 };
    while (this.#undo.length > undo) this.#undo.pop()?.();
    this.#slots?.revert(slots);
    this.#slots?.resume(this.#checkpoints.at(-1)?.slots ?? 0);
  }
}

/** Big-endian bytes, up to 32, as a word. */
function readBytes(bytes: Uint8Array, word: Int32Array): void {
  let end = bytes.length;
  for (let index = 0; index < wordIntegers; index++, end -= 4)
    word[index] =
      ((bytes[end - 4] ?? 0) << 24) |
      ((bytes[end - 3] ?? 0) << 16) |
      ((bytes[end - 2] ?? 0) << 8) |
      (bytes[end - 1] ?? 0);
}

/** A word as 32 bytes, big-endian. */
function putBytes(source: Int32Array, at: number, view: DataView): void {
  for (let index = 0; index < wordIntegers; index++) view.setInt32(28 - 4 * index, source[at + index] as number);
}

const noBytes = new Uint8Array(0);

/** A word as bytes without leading zeros. */
function trimmedBytes(source: Int32Array, at: number): Uint8Array {
  putBytes(source, at, nameView);
  let start = 0;
  while (start < 32 && nameBytes[start] === 0) start++;
  return start === 32 ? noBytes : new Uint8Array(nameBytes.subarray(start));
}
