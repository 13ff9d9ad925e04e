export { emptyTrieRoot, isEmptyTrieRoot } from './empty-root.ts';
export { CorruptNodeError, EmptyValueError, InvalidKeyError, InvalidProofError } from './errors.ts';
export type { TrieNodeReader, TrieNodeStore } from './node-store.ts';
export { readProof, type TriePath } from './read-proof.ts';
export { SortedTrie, type SortedTrieState } from './sorted-trie.ts';
export { Trie } from './trie.ts';
export { type TrieLeaf, trieLeaves } from './trie-leaves.ts';
export { orderedTrieRoot, trieRoot } from './trie-root.ts';
export { proofLimits, type TrieProof, verifyProof } from './verify-proof.ts';
