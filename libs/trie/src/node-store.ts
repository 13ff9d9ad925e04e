/** Reads the encoded nodes of tries by their Keccak-256. */
export interface TrieNodeReader {
  /** @throws BLOCK_CORRUPT for a node that is missing, or whose bytes do not match the hash */
  load(hash: Uint8Array): Uint8Array;
}

/** Reads nodes, and receives the new nodes of a trie when its root is computed. */
export interface TrieNodeStore extends TrieNodeReader {
  save(hash: Uint8Array, node: Uint8Array): void;
}
