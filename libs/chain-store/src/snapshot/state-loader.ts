import { bigintFromBytes, encodeRlp, encodeStateAccount } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { SortedTrie, type SortedTrieState } from '@cairn/trie';
import { encodeAccountRecord, heightKey, slotPrefix, type Tables } from '../tables.ts';
import { listItems, stringOf } from './record-chunks.ts';

/** Position between two records of a state, as JSON. */
export interface StateLoaderState {
  readonly accounts: SortedTrieState;
  /** Account whose slots follow. */
  readonly open?: { readonly fields: readonly string[]; readonly storage: SortedTrieState };
}

interface OpenAccount {
  /** Address, nonce, balance, hash of the code. */
  readonly fields: readonly Uint8Array[];
  readonly storage: SortedTrie;
}

export interface TableEntry {
  readonly table: 'accounts' | 'slots' | 'nodes';
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

const emptyCodeHash = keccak256(new Uint8Array(0));

/** Converts the records of `stateRecords` to table entries and computes their state root. */
export class StateLoader {
  readonly #tables: Pick<Tables, 'codes'>;
  readonly #height: Uint8Array;
  readonly #accounts: SortedTrie;
  #open: OpenAccount | undefined;
  #entries: TableEntry[] = [];

  constructor(tables: Pick<Tables, 'codes'>, height: bigint, state?: StateLoaderState) {
    this.#tables = tables;
    this.#height = heightKey(height);
    this.#accounts = new SortedTrie(this.#saveNode, state?.accounts);
    if (state?.open === undefined) return;
    const { fields, storage } = state.open;
    this.#open = {
      fields: fields.map((field) => Buffer.from(field, 'hex')),
      storage: new SortedTrie(this.#saveNode, storage),
    };
  }

  readonly #saveNode = (hash: Uint8Array, node: Uint8Array): void => {
    this.#entries.push({ table: 'nodes', key: hash, value: node });
  };

  get state(): StateLoaderState {
    const accounts = this.#accounts.state;
    if (this.#open === undefined) return { accounts };
    const fields = this.#open.fields.map((field) => Buffer.from(field).toString('hex'));
    return { accounts, open: { fields, storage: this.#open.storage.state } };
  }

  /** @throws DECODE_FAILED, TRIE_KEY_INVALID, Error */
  add(record: Uint8Array): void {
    const fields = listItems(record).map(stringOf);
    if (fields.length === 4) this.#addAccount(fields);
    else if (fields.length === 2) this.#addSlot(fields);
    else throw new Error(`a record has ${fields.length} fields; accounts have 4 and slots have 2`);
  }

  #addAccount(fields: readonly Uint8Array[]): void {
    this.#closeAccount();
    const [address, nonce, balance, codeHash] = fields as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    if (address.length !== 20 || codeHash.length !== 32 || nonce[0] === 0 || balance[0] === 0)
      throw new Error('an account has fields of invalid length');
    if (Buffer.compare(codeHash, emptyCodeHash) !== 0 && !this.#tables.codes.has(codeHash))
      throw new Error(`the code of account 0x${Buffer.from(address).toString('hex')} is missing`);
    this.#open = { fields, storage: new SortedTrie(this.#saveNode) };
  }

  #addSlot([slot, value]: readonly Uint8Array[]): void {
    if (this.#open === undefined || slot?.length !== 32 || !value?.length || value.length > 32 || value[0] === 0)
      throw new Error('a slot has no account, or fields of invalid length');
    const [address] = this.#open.fields as [Uint8Array];
    this.#open.storage.add(keccak256(slot), encodeRlp(value));
    this.#entries.push({
      table: 'slots',
      key: this.#keyOf(slotPrefix(address, 0, slot)),
      value: Uint8Array.from(value),
    });
  }

  #closeAccount(): void {
    if (this.#open === undefined) return;
    const { fields, storage } = this.#open;
    const [address, nonce, balance, codeHash] = fields as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    const state = {
      nonce: bigintFromBytes(nonce),
      balance: bigintFromBytes(balance),
      codeHash,
      storageRoot: storage.root(),
    };
    this.#open = undefined;
    this.#accounts.add(keccak256(address), encodeStateAccount(state));
    const value = encodeAccountRecord({ state, incarnation: 0 });
    this.#entries.push({ table: 'accounts', key: this.#keyOf(address), value });
  }

  /** Returns the root of the state. No record may follow. */
  root(): Uint8Array {
    this.#closeAccount();
    return this.#accounts.root();
  }

  /** Returns the table entries since the last call. */
  takeEntries(): readonly TableEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  #keyOf(prefix: Uint8Array): Uint8Array {
    return Buffer.concat([prefix, this.#height]);
  }
}
