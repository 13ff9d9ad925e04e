import { keccak256 } from '@cairn/cid';
import { compareBytes } from '@cairn/platform';
import { decodeRlp } from '@cairn/rlp';
import { readProof, type TrieNodeReader, type TriePath } from '@cairn/trie';
import { type ContentReader, keyOf } from './content-cache.ts';
import type { ProvenAccount } from './proven-account.ts';
import type { ProvenValues } from './proven-values.ts';

/** Result of a read whose content is not cached. */
export const missing = Symbol('missing');

const emptyCodeHash = keccak256(new Uint8Array(0));
const empty = new Uint8Array(0);

/** Thrown by the walk when a node is not cached. */
class NodeMissing extends Error {}

export interface CachedStateOptions {
  /** 32 bytes, from a verified header. */
  readonly stateRoot: Uint8Array;
  readonly cache: ContentReader;
  /** Memory of values that were read before. Default: each read walks the tries. */
  readonly values?: ProvenValues | undefined;
}

/** Walks the tries of one state through cached nodes. */
export class CachedState {
  readonly #stateRoot: Uint8Array;
  readonly #rootKey: string;
  readonly #cache: ContentReader;
  readonly #values: ProvenValues | undefined;
  readonly #nodes: TrieNodeReader;

  constructor({ stateRoot, cache, values }: CachedStateOptions) {
    this.#stateRoot = stateRoot;
    this.#rootKey = keyOf(stateRoot);
    this.#cache = cache;
    this.#values = values;
    this.#nodes = {
      load(hash) {
        const node = cache.get(hash);
        // One error object serves all walks: a stack trace takes longer than the walk.
        if (node === undefined) throw nodeMissing;
        return node;
      },
    };
  }

  /** `undefined` for an absent account. */
  account(address: Uint8Array): ProvenAccount | undefined | typeof missing {
    const key = this.#rootKey + keyOf(address);
    const known = this.#values?.account(key);
    if (known !== undefined) return known === 'absent' ? undefined : known;
    const path = this.accountPath(address);
    if (path === missing) return missing;
    const account = path.value && accountFromRlp(path.value);
    this.#values?.setAccount(key, account ?? 'absent');
    return account;
  }

  /** The value without leading zeros. */
  slot({ storageRoot }: ProvenAccount, slot: Uint8Array): Uint8Array | typeof missing {
    const key = keyOf(storageRoot) + keyOf(slot);
    const known = this.#values?.slot(key);
    if (known !== undefined) return known;
    const path = this.slotPath(storageRoot, slot);
    if (path === missing) return missing;
    const value = slotFromRlp(path.value);
    this.#values?.setSlot(key, value);
    return value;
  }

  code(codeHash: Uint8Array): Uint8Array | typeof missing {
    if (isEmptyCode(codeHash)) return empty;
    return this.#cache.get(codeHash) ?? missing;
  }

  accountPath(address: Uint8Array): TriePath | typeof missing {
    return this.#path(this.#stateRoot, keccak256(address));
  }

  slotPath(storageRoot: Uint8Array, slot: Uint8Array): TriePath | typeof missing {
    return this.#path(storageRoot, keccak256(slot));
  }

  #path(root: Uint8Array, key: Uint8Array): TriePath | typeof missing {
    try {
      return readProof(this.#nodes, root, key);
    } catch (error) {
      if (error instanceof NodeMissing) return missing;
      throw error;
    }
  }
}

const nodeMissing = new NodeMissing();

export function isEmptyCode(codeHash: Uint8Array): boolean {
  return compareBytes(codeHash, emptyCodeHash) === 0;
}

/** Decodes the leaf of a storage trie; empty for a slot without one. */
export function slotFromRlp(value: Uint8Array | undefined): Uint8Array {
  return value === undefined ? empty : (decodeRlp('slot', value) as Uint8Array);
}

/** Decodes an account of the state trie (Yellow Paper, section 4.1). @throws DECODE_FAILED */
export function accountFromRlp(value: Uint8Array): ProvenAccount {
  const [nonce, balance, storageRoot, codeHash] = decodeRlp('account', value) as Uint8Array[];
  const number = (bytes: Uint8Array | undefined) =>
    bytes?.length ? BigInt(`0x${Buffer.from(bytes).toString('hex')}`) : 0n;
  // Copies: views would keep the whole node in memory.
  return {
    nonce: number(nonce),
    balance: number(balance),
    storageRoot: (storageRoot as Uint8Array).slice(),
    codeHash: (codeHash as Uint8Array).slice(),
  };
}
