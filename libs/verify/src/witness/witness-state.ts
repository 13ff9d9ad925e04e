import { type AccountState, bigintFromBytes, bytesFromHex, type Hex, type StateReader } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { hexDigitsFromBytes, latin1FromBytes } from '@cairn/platform';
import { decodeRlp } from '@cairn/rlp';
import { readProof, type TrieNodeReader } from '@cairn/trie';
import { VerifyError } from '../errors.ts';

const noBytes = new Uint8Array(0);
const emptyCodeHash = latin1FromBytes(keccak256(noBytes));

/** Content by its Keccak-256, which is computed: content cannot have a wrong name. */
export class HashedContent implements TrieNodeReader {
  readonly #content = new Map<string, Uint8Array>();
  readonly #what: string;

  /** @param what name of the content in errors */
  constructor(what: string, items: Iterable<Uint8Array>) {
    this.#what = what;
    for (const item of items) this.#content.set(latin1FromBytes(keccak256(item)), item);
  }

  /** @throws WITNESS_INCOMPLETE */
  load(hash: Uint8Array): Uint8Array {
    const item = this.#content.get(latin1FromBytes(hash));
    if (item === undefined)
      throw new VerifyError(
        'WITNESS_INCOMPLETE',
        `The witness lacks the ${this.#what} with hash 0x${hexDigitsFromBytes(hash)}.`,
      );
    return item;
  }
}

/** State after a block, read from proofs only. A read that no proof covers throws WITNESS_INCOMPLETE. */
export class WitnessState implements StateReader {
  /** Other states of the process may have read their code without verification. */
  readonly isolatesCode = true;
  readonly #root: Uint8Array;
  readonly #nodes: HashedContent;
  readonly #codes: HashedContent;

  constructor(stateRoot: Hex, parts: { readonly nodes: readonly Uint8Array[]; readonly codes: readonly Uint8Array[] }) {
    this.#root = bytesFromHex(stateRoot);
    this.#nodes = new HashedContent('trie node', parts.nodes);
    this.#codes = new HashedContent('code', parts.codes);
  }

  getAccount(address: Uint8Array): ProvenAccount | undefined {
    const { value } = readProof(this.#nodes, this.#root, keccak256(address));
    return value && accountFromRlp(value);
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    return latin1FromBytes(codeHash) === emptyCodeHash ? noBytes : this.#codes.load(codeHash);
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const account = this.getAccount(address);
    if (account === undefined) return noBytes;
    const { value } = readProof(this.#nodes, account.storageRoot, keccak256(slot));
    return value === undefined ? noBytes : slotFromRlp(value);
  }
}

export type ProvenAccount = AccountState & { readonly storageRoot: Uint8Array };

/** Decodes an account of the state trie (Yellow Paper, section 4.1). */
export function accountFromRlp(value: Uint8Array): ProvenAccount {
  const [nonce, balance, storageRoot, codeHash] = decodeRlp('account', value) as Uint8Array[];
  return {
    nonce: bigintFromBytes(nonce as Uint8Array),
    balance: bigintFromBytes(balance as Uint8Array),
    storageRoot: storageRoot as Uint8Array,
    codeHash: codeHash as Uint8Array,
  };
}

/** Decodes a value of a storage trie, without leading zeros. */
export function slotFromRlp(value: Uint8Array): Uint8Array {
  return decodeRlp('slot', value) as Uint8Array;
}
