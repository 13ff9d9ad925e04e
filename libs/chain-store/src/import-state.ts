import {
  type AccountChange,
  type AccountState,
  bytesFromHex,
  encodeStateAccount,
  type Hex,
  hexFromBytes,
  type StateReader,
  type StateRoots,
  writeSlots,
} from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { emptyTrieRoot, type Trie } from '@cairn/trie';
import type { RecordReader } from './flat-state.ts';
import type { StateChange } from './state-changes.ts';
import { encodeAccountRecord, slotPrefix, type Tables } from './tables.ts';
import { TrieNodes } from './trie-nodes.ts';

/** Table entries that blocks add. */
export interface StateWrites {
  readonly changes: readonly StateChange[];
  /** New code and new trie nodes, by their Keccak-256. */
  readonly content: readonly {
    readonly table: 'codes' | 'nodes';
    readonly key: Uint8Array;
    readonly value: Uint8Array;
  }[];
}

type FullAccount = Required<AccountState>;

const empty = new Uint8Array(0);

/**
 * State for executing imported blocks. Reads the flat tables, keeps changes in memory, and computes state roots with the tries.
 * `takeWrites` returns the changes as table entries; this class writes nothing.
 */
export class ImportState implements StateRoots {
  readonly #nodes: TrieNodes;
  readonly #base: RecordReader;
  #root: Uint8Array;
  /** State trie with its loaded nodes. */
  #trie: Trie | undefined;
  /** Accounts that were read or changed; `undefined` for an account that does not exist. */
  readonly #accounts = new Map<Hex, FullAccount | undefined>();
  /** Slots that were read or changed. */
  readonly #storage = new Map<Hex, Map<Hex, Uint8Array>>();
  readonly #codes = new Map<Hex, Uint8Array>();
  /** Accounts whose storage in the tables is no longer valid, with their new incarnations. */
  readonly #incarnations = new Map<Hex, number>();
  #changedAccounts = new Set<Hex>();
  #changedSlots = new Map<Hex, Map<Hex, Uint8Array>>();
  #newCodes = new Map<Hex, Uint8Array>();

  /** @param base the state that blocks are executed on; `root` is its root */
  constructor(tables: Pick<Tables, 'nodes'>, base: RecordReader, root: Uint8Array) {
    this.#base = base;
    this.#nodes = new TrieNodes(tables.nodes);
    this.#root = root;
  }

  async after(changes: readonly AccountChange[]): Promise<Uint8Array> {
    this.#trie ??= this.#nodes.trie(this.#root);
    for (const change of changes) this.#apply(this.#trie, change);
    this.#root = this.#trie.root();
    return this.#root;
  }

  #apply(accounts: Trie, { address, account, isStorageCleared, slots, code }: AccountChange): void {
    const key = hexFromBytes(address);
    const before = this.#account(key, address);
    if (account === undefined && before === undefined) return;
    if (isStorageCleared || account === undefined) this.#clearStorage(key, address);
    this.#changedAccounts.add(key);
    if (account === undefined) {
      this.#accounts.set(key, undefined);
      accounts.remove(keccak256(address));
      return;
    }
    if (code !== undefined && code.length > 0) {
      const name = hexFromBytes(account.codeHash);
      this.#codes.set(name, code);
      this.#newCodes.set(name, code);
    }
    const { nonce, balance, codeHash } = account;
    const rootBefore = isStorageCleared ? emptyTrieRoot : (before?.storageRoot ?? emptyTrieRoot);
    const after = { nonce, balance, codeHash, storageRoot: this.#writeStorage(key, address, rootBefore, slots) };
    this.#accounts.set(key, after);
    accounts.put(keccak256(address), encodeStateAccount(after));
  }

  /** Returns the root of the storage with these slots. */
  #writeStorage(key: Hex, address: Uint8Array, root: Uint8Array, slots: AccountChange['slots']): Uint8Array {
    const changed = slots.filter(([slot, value]) => Buffer.compare(this.#slot(key, address, slot), value) !== 0);
    if (changed.length === 0) return root;
    const storage = this.#nodes.trie(root);
    writeSlots(storage, changed);
    const known = entryOf(this.#storage, key);
    const fresh = entryOf(this.#changedSlots, key);
    for (const [slot, value] of changed) {
      const name = hexFromBytes(slot);
      known.set(name, value);
      fresh.set(name, value);
    }
    return storage.root();
  }

  /**
   * Older slots stay in the tables under their incarnation; a higher one hides them. This also applies to an account that
   * the tables do not contain: blocks that are not written yet may have given it slots.
   */
  #clearStorage(key: Hex, address: Uint8Array): void {
    this.#storage.delete(key);
    this.#changedSlots.delete(key);
    this.#incarnations.set(key, this.#incarnation(key, address) + 1);
  }

  #incarnation(key: Hex, address: Uint8Array): number {
    return this.#incarnations.get(key) ?? this.#base.record(address)?.incarnation ?? 0;
  }

  #account(key: Hex, address: Uint8Array): FullAccount | undefined {
    if (this.#accounts.has(key)) return this.#accounts.get(key);
    const account = this.#base.record(address)?.state;
    this.#accounts.set(key, account);
    return account;
  }

  #slot(key: Hex, address: Uint8Array, slot: Uint8Array): Uint8Array {
    const slots = entryOf(this.#storage, key);
    const name = hexFromBytes(slot);
    let value = slots.get(name);
    if (value === undefined) {
      value = this.#incarnations.has(key) ? empty : this.#base.getStorage(address, slot);
      slots.set(name, value);
    }
    return value;
  }

  /** Returns a reader of the current state: a new object for each block, since engines cache by reader. */
  view(): StateReader {
    return {
      getAccount: (address) => this.#account(hexFromBytes(address), address),
      getStorage: (address, slot) => this.#slot(hexFromBytes(address), address, slot),
      getCode: (codeHash) => this.#codes.get(hexFromBytes(codeHash)) ?? this.#base.getCode(codeHash),
    };
  }

  /** Returns the changes since the last call, as table entries. */
  takeWrites(): StateWrites {
    const changes: StateChange[] = [];
    const content: StateWrites['content'][number][] = [];
    for (const key of this.#changedAccounts) {
      const address = bytesFromHex(key);
      const record = { state: this.#accounts.get(key), incarnation: this.#incarnation(key, address) };
      changes.push({ table: 'accounts', key: address, value: encodeAccountRecord(record) });
    }
    for (const [key, slots] of this.#changedSlots) {
      const address = bytesFromHex(key);
      const incarnation = this.#incarnation(key, address);
      for (const [slot, value] of slots)
        changes.push({ table: 'slots', key: slotPrefix(address, incarnation, bytesFromHex(slot)), value });
    }
    for (const [hash, value] of this.#newCodes) content.push({ table: 'codes', key: bytesFromHex(hash), value });
    for (const [hash, value] of this.#nodes.takeFresh())
      content.push({ table: 'nodes', key: Buffer.from(hash, 'hex'), value });
    this.#changedAccounts = new Set();
    this.#changedSlots = new Map();
    this.#newCodes = new Map();
    return { changes, content };
  }

  /** Root of the current state. */
  get root(): Hex {
    return hexFromBytes(this.#root);
  }
}

function entryOf<V>(map: Map<Hex, Map<Hex, V>>, key: Hex): Map<Hex, V> {
  let entry = map.get(key);
  if (entry === undefined) {
    entry = new Map();
    map.set(key, entry);
  }
  return entry;
}
