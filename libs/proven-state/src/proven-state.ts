import type { AccountProof, AccountState, StateReader } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { compareBytes } from '@cairn/platform';
import { decodeRlp } from '@cairn/rlp';
import { emptyTrieRoot, readProof, type TrieNodeReader, type TriePath } from '@cairn/trie';
import { type ContentCache, keyOf } from './content-cache.ts';
import { type AccountNeed, StateNeeds } from './state-needs.ts';

/** Account whose storage root is always known. */
export type ProvenAccount = AccountState & { readonly storageRoot: Uint8Array };

const emptyCodeHash = keccak256(new Uint8Array(0));
const empty = new Uint8Array(0);

/** Thrown by the walk when a node is not cached. */
class NodeMissing extends Error {}

export interface ProvenStateOptions {
  /** 32 bytes, from a verified header. */
  readonly stateRoot: Uint8Array;
  readonly cache: ContentCache;
  /** Receives the reads that are not cached. */
  readonly needs: StateNeeds;
  /** Code is needed with each account that is not cached, since accounts are mostly read to run them. Default: true. */
  readonly withCode?: boolean;
}

/**
 * The cached part of the state after one block. Walks the tries from the state root through cached nodes. A read that is
 * not cached is collected in `needs` and returns an absent account, zero, or empty code. The result of such a run is
 * invalid and serves to find further reads.
 */
export class ProvenState implements StateReader {
  readonly #stateRoot: Uint8Array;
  readonly #cache: ContentCache;
  readonly #needs: StateNeeds;
  readonly #withCode: boolean;
  readonly #nodes: TrieNodeReader;
  readonly #accounts = new Map<string, ProvenAccount | undefined>();
  readonly #slots = new Map<string, Uint8Array>();
  /** Accounts whose code was read. */
  readonly #codes = new Set<string>();
  /** Address by which code can be fetched, by code hash. */
  readonly #holders = new Map<string, Uint8Array>();

  constructor({ stateRoot, cache, needs, withCode = true }: ProvenStateOptions) {
    this.#withCode = withCode;
    this.#stateRoot = stateRoot;
    this.#cache = cache;
    this.#needs = needs;
    this.#nodes = {
      load(hash) {
        const node = cache.get(hash);
        if (node === undefined) throw new NodeMissing();
        return node;
      },
    };
  }

  getAccount(address: Uint8Array): ProvenAccount | undefined {
    const key = keyOf(address);
    const known = this.#accounts.get(key);
    if (known !== undefined || this.#accounts.has(key)) return known;
    const value = this.#walk(this.#stateRoot, keccak256(address));
    if (value === missing) {
      this.#needs.account(address, { needsCode: this.#withCode });
      return undefined;
    }
    const account = value && accountFromRlp(value);
    this.#accounts.set(key, account);
    if (account !== undefined) this.#holders.set(keyOf(account.codeHash), address.slice());
    return account;
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    if (compareBytes(codeHash, emptyCodeHash) === 0) return empty;
    const holder = this.#holders.get(keyOf(codeHash));
    if (holder !== undefined) this.#codes.add(keyOf(holder));
    const code = this.#cache.get(codeHash);
    if (code !== undefined) return code;
    if (holder === undefined) throw new TypeError('getCode needs a code hash of an account that was read before');
    this.#needs.account(holder, { needsCode: true });
    return empty;
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const key = keyOf(address) + keyOf(slot);
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const account = this.getAccount(address);
    if (account === undefined) {
      // The account is absent, or not cached, and then its slot is fetched with it.
      if (!this.#accounts.has(keyOf(address))) this.#needs.slot(address, slot);
      return empty;
    }
    const value = this.#walk(account.storageRoot, keccak256(slot));
    if (value === missing) {
      this.#needs.slot(address, slot);
      return empty;
    }
    const content = value === undefined ? empty : (decodeRlp('slot', value) as Uint8Array);
    this.#slots.set(key, content);
    return content;
  }

  /**
   * Proof of an account and of slots (EIP-1186); `undefined` where a node is not cached. The missing reads are in `needs`.
   */
  proof(address: Uint8Array, slots: readonly Uint8Array[]): AccountProof | undefined {
    const account = this.#path(this.#stateRoot, keccak256(address));
    if (account === undefined) {
      this.#needs.account(address);
      for (const slot of slots) this.#needs.slot(address, slot);
      return undefined;
    }
    const state = account.value && accountFromRlp(account.value);
    const storageRoot = state?.storageRoot ?? emptyTrieRoot;
    const proofs: AccountProof['slots'][number][] = [];
    for (const slot of slots) {
      const path = this.#path(storageRoot, keccak256(slot));
      if (path === undefined) this.#needs.slot(address, slot);
      else
        proofs.push({ value: path.value ? (decodeRlp('slot', path.value) as Uint8Array) : empty, nodes: path.nodes });
    }
    if (proofs.length < slots.length) return undefined;
    return { account: state, storageRoot, accountNodes: account.nodes, slots: proofs };
  }

  /** Reads that were answered, each once. */
  reads(): readonly AccountNeed[] {
    const reads = new StateNeeds();
    for (const key of this.#accounts.keys()) reads.account(bytesOfKey(key), { needsCode: this.#codes.has(key) });
    for (const key of this.#slots.keys()) reads.slot(bytesOfKey(key.slice(0, 20)), bytesOfKey(key.slice(20)));
    return reads.list();
  }

  /** Reports whether the code of an account is cached or empty. */
  hasCode({ codeHash }: ProvenAccount): boolean {
    return compareBytes(codeHash, emptyCodeHash) === 0 || this.#cache.get(codeHash) !== undefined;
  }

  #walk(root: Uint8Array, key: Uint8Array): Uint8Array | undefined | typeof missing {
    const path = this.#path(root, key);
    return path === undefined ? missing : path.value;
  }

  /** The nodes to a key and its value; `undefined` where a node is not cached. */
  #path(root: Uint8Array, key: Uint8Array): TriePath | undefined {
    try {
      return readProof(this.#nodes, root, key);
    } catch (error) {
      if (error instanceof NodeMissing) return undefined;
      throw error;
    }
  }
}

const missing = Symbol('missing');
const bytesOfKey = (key: string) => Buffer.from(key, 'latin1');

/** Decodes an account of the state trie (Yellow Paper, section 4.1). @throws DECODE_FAILED */
export function accountFromRlp(value: Uint8Array): ProvenAccount {
  const [nonce, balance, storageRoot, codeHash] = decodeRlp('account', value) as Uint8Array[];
  const number = (bytes: Uint8Array | undefined) =>
    bytes?.length ? BigInt(`0x${Buffer.from(bytes).toString('hex')}`) : 0n;
  return {
    nonce: number(nonce),
    balance: number(balance),
    storageRoot: storageRoot as Uint8Array,
    codeHash: codeHash as Uint8Array,
  };
}
