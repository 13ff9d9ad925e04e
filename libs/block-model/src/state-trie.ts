import { keccak256 } from '@cairn/cid';
import { decodeRlp, encodeRlp } from '@cairn/rlp';
import { emptyTrieRoot, Trie, type TrieNodeStore } from '@cairn/trie';
import { bytesFromBigint, bytesFromHex, type Hex, hexFromBytes } from './hex.ts';
import type { AccountChange, AccountState, StateRoots } from './readers.ts';

/** Encodes an account for the state trie (Yellow Paper, section 4.1). */
export function encodeStateAccount({ nonce, balance, storageRoot, codeHash }: Required<AccountState>): Uint8Array {
  return encodeRlp([bytesFromBigint(nonce), bytesFromBigint(balance), storageRoot, codeHash]);
}

/** Writes slots into a storage trie; empty values remove them. */
export function writeSlots(storage: Trie, slots: Iterable<readonly [slot: Uint8Array, value: Uint8Array]>): void {
  for (const [slot, value] of slots) {
    if (value.length === 0) storage.remove(keccak256(slot));
    else storage.put(keccak256(slot), encodeRlp(value));
  }
}

/** Tries of one state. */
export interface StateTrie {
  readonly root: Uint8Array;
  readonly nodes: TrieNodeStore;
  /** Storage root of an account in this state; `undefined` for an absent account. */
  storageRootOf(address: Uint8Array): Uint8Array | undefined;
}

/** Computes state roots on top of a state. New trie nodes are saved in its node store. */
export function stateRootsOver({ root, nodes, storageRootOf }: StateTrie): StateRoots {
  const accounts = new Trie(nodes, root);
  const storageRoots = new Map<string, Uint8Array>();

  const apply = ({ address, account, isStorageCleared, slots }: AccountChange): void => {
    const name = hexFromBytes(address);
    const before = storageRoots.get(name) ?? storageRootOf(address) ?? emptyTrieRoot;
    let storageRoot = isStorageCleared || account === undefined ? emptyTrieRoot : before;
    if (account !== undefined && slots.length > 0) {
      const storage = new Trie(nodes, storageRoot);
      writeSlots(storage, slots);
      storageRoot = storage.root();
    }
    storageRoots.set(name, storageRoot);
    const key = keccak256(address);
    if (account === undefined) accounts.remove(key);
    else accounts.put(key, encodeStateAccount({ ...account, storageRoot }));
  };
  return {
    async after(changes) {
      for (const change of changes) apply(change);
      return accounts.root();
    },
  };
}

/** Reads and writes of a block. */
export interface WitnessScope {
  /** Slots by address of the account. */
  readonly reads: ReadonlyMap<Hex, ReadonlySet<Hex>>;
  readonly changes: readonly AccountChange[];
}

/**
 * Returns the trie nodes that prove the reads from a state, and that the computation of the next state root reads.
 * @throws BLOCK_CORRUPT for a node that is missing or wrong
 */
export async function witnessNodes(
  { root, nodes, storageRootOf }: StateTrie,
  { reads, changes }: WitnessScope,
): Promise<Uint8Array[]> {
  const watched = new WatchedNodes(nodes);
  const accounts = new Trie(watched, root);
  for (const [address, slots] of reads) {
    const found = accounts.get(keccak256(bytesFromHex(address)));
    const [, , storageRoot] = found ? (decodeRlp('account', found) as Uint8Array[]) : [];
    if (storageRoot === undefined || slots.size === 0) continue;
    const storage = new Trie(watched, storageRoot);
    for (const slot of slots) storage.get(keccak256(bytesFromHex(slot)));
  }
  await stateRootsOver({ root, nodes: watched, storageRootOf }).after(withoutNeedlessReads(changes));
  return [...watched.met.values()];
}

/** Records the nodes that are read and were not saved before. */
class WatchedNodes implements TrieNodeStore {
  readonly met = new Map<string, Uint8Array>();
  readonly #saved = new Set<string>();
  readonly #nodes: TrieNodeStore;

  constructor(nodes: TrieNodeStore) {
    this.#nodes = nodes;
  }

  load(hash: Uint8Array): Uint8Array {
    const node = this.#nodes.load(hash);
    const name = hexFromBytes(hash);
    if (!this.#saved.has(name)) this.met.set(name, node);
    return node;
  }

  save(hash: Uint8Array, node: Uint8Array): void {
    this.#saved.add(hexFromBytes(hash));
    this.#nodes.save(hash, node);
  }
}

/** Puts writes before removals: a branch node needs the sibling of a removed child only when one child remains. */
function withoutNeedlessReads(changes: readonly AccountChange[]): AccountChange[] {
  const isRemoval = ({ account }: AccountChange) => (account === undefined ? 1 : 0);
  return [...changes]
    .sort((a, b) => isRemoval(a) - isRemoval(b))
    .map((change) => ({
      ...change,
      slots: [...change.slots].sort(([, a], [, b]) => Number(a.length === 0) - Number(b.length === 0)),
    }));
}
