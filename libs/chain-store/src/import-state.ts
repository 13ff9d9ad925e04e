import {
  type AccountChange,
  bytesFromHex,
  encodeRlp,
  type Hex,
  hexFromBytes,
  type StateRoots,
} from '@cairn/block-model';
import { JournaledState, type StateChanges } from '@cairn/block-model/ethereumjs';
import { keccak256 } from '@cairn/cid';
import { emptyTrieRoot, type Trie } from '@cairn/trie';
import type { RecordReader } from './flat-state.ts';
import type { StateChange } from './state-changes.ts';
import { encodeAccountRecord, slotPrefix, type Tables } from './tables.ts';
import { TrieNodes } from './trie-nodes.ts';

/** What a block makes of the state, to be written. */
export interface StateWrites {
  readonly changes: readonly StateChange[];
  /** New code and new nodes of tries, by their keccak-256. */
  readonly content: readonly {
    readonly table: 'codes' | 'nodes';
    readonly key: Uint8Array;
    readonly value: Uint8Array;
  }[];
}

/**
 * The state that blocks are executed on: reads the flat tables, keeps what blocks change, and computes state roots
 * through the tries. What a block changed is taken as table entries; nothing is written here.
 */
export class ImportState extends JournaledState implements StateRoots {
  readonly #nodes: TrieNodes;
  readonly #base: RecordReader;
  #root: Uint8Array;
  /** Of the accounts, with those of its nodes that have been met. */
  #trie: Trie | undefined;
  /** Incarnations that differ from those in the tables. */
  readonly #incarnations = new Map<Hex, number>();
  #accounts = new Set<Hex>();
  #slots = new Map<Hex, Map<Hex, Uint8Array>>();
  #codes = new Map<Hex, Uint8Array>();

  /** @param base the state that blocks are executed on; `root` is its root */
  constructor(tables: Pick<Tables, 'nodes'>, base: RecordReader, root: Uint8Array) {
    super(base);
    this.#base = base;
    this.#nodes = new TrieNodes(tables.nodes);
    this.#root = root;
  }

  async after(changes: readonly AccountChange[]): Promise<Uint8Array> {
    this.apply(changes);
    return await this.getStateRoot();
  }

  override async getStateRoot(): Promise<Uint8Array> {
    const changes = this.takeChanges();
    this.#trie ??= this.#nodes.trie(this.#root);
    const accounts = this.#trie;
    const touched = new Set([...changes.accounts.keys(), ...changes.storage.keys()]);
    for (const address of touched) this.#write(accounts, address, changes);
    for (const [hash, code] of changes.codes) this.#codes.set(hash, code);
    this.#root = accounts.root();
    return this.#root;
  }

  #write(accounts: Trie, address: Hex, changes: StateChanges): void {
    this.#accounts.add(address);
    const before = this.readAccount(address);
    const storage = changes.storage.get(address);
    if (storage) {
      let root = before?.storageRoot ?? emptyTrieRoot;
      if (storage.isCleared) {
        root = emptyTrieRoot;
        this.#forgetStorage(address);
      }
      const trie = this.#nodes.trie(root);
      const slots = this.#slots.get(address) ?? new Map<Hex, Uint8Array>();
      this.#slots.set(address, slots);
      for (const [slot, value] of storage.slots) {
        slots.set(slot, value);
        const key = keccak256(bytesFromHex(slot));
        if (value.length === 0) trie.remove(key);
        else trie.put(key, encodeRlp(value));
      }
      this.setStorageRoot(address, trie.root());
    }
    const account = this.readAccount(address);
    const key = keccak256(bytesFromHex(address));
    if (account === undefined) accounts.remove(key);
    else accounts.put(key, account.serialize());
  }

  /**
   * Older slots stay in the tables under their incarnation; a higher one makes them invisible. Also for an account that
   * the tables do not know: blocks that wait to be written may have given it slots.
   */
  #forgetStorage(address: Hex): void {
    this.#slots.delete(address);
    this.#incarnations.set(address, this.#incarnation(address) + 1);
  }

  #incarnation(address: Hex): number {
    return this.#incarnations.get(address) ?? this.#base.record(bytesFromHex(address))?.incarnation ?? 0;
  }

  /** What has changed since the last call. Call after the root was computed. */
  takeWrites(): StateWrites {
    const changes: StateChange[] = [];
    const content: StateWrites['content'][number][] = [];
    for (const address of this.#accounts) {
      const record = { state: this.readAccount(address), incarnation: this.#incarnation(address) };
      changes.push({ table: 'accounts', key: bytesFromHex(address), value: encodeAccountRecord(record) });
    }
    for (const [address, slots] of this.#slots) {
      const incarnation = this.#incarnation(address);
      for (const [slot, value] of slots) {
        const key = slotPrefix(bytesFromHex(address), incarnation, bytesFromHex(slot));
        changes.push({ table: 'slots', key, value });
      }
    }
    for (const [hash, value] of this.#codes) content.push({ table: 'codes', key: bytesFromHex(hash), value });
    for (const [hash, value] of this.#nodes.takeFresh())
      content.push({ table: 'nodes', key: Buffer.from(hash, 'hex'), value });
    this.#accounts = new Set();
    this.#slots = new Map();
    this.#codes = new Map();
    return { changes, content };
  }

  /** The root that was computed last. */
  get root(): Hex {
    return hexFromBytes(this.#root);
  }
}
