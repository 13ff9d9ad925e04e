import { findValue } from './find-value.ts';
import type { TrieNodeReader } from './node-store.ts';

/** Result of a walk from the root of a trie to a key. */
export interface TriePath {
  /** Encoded nodes that are referenced by hash, from the root on. They contain the shorter nodes between them. */
  readonly nodes: readonly Uint8Array[];
  /** `undefined` where the trie has no value for the key. The nodes prove this, too. */
  readonly value: Uint8Array | undefined;
}

/**
 * Reads a value with its proof, as `eth_getProof` returns it.
 * @param key the key within the trie: for accounts and slots the Keccak-256 of their address or number
 * @throws BLOCK_CORRUPT for a node that is missing or wrong
 */
export function readProof(reader: TrieNodeReader, root: Uint8Array, key: Uint8Array): TriePath {
  const nodes: Uint8Array[] = [];
  const load = (hash: Uint8Array): Uint8Array => {
    const node = reader.load(hash);
    nodes.push(node);
    return node;
  };
  const value = findValue({ load }, root, key);
  return { nodes, value };
}
