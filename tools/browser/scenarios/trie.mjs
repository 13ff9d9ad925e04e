import { keccak256 } from '@cairn/cid';
import { emptyTrieRoot, orderedTrieRoot, readProof, Trie, trieLeaves, trieRoot, verifyProof } from '@cairn/trie';
import { codeOf, digits, patterned } from './tools.mjs';

const bytes = (text) => Uint8Array.from(text.slice(2).match(/../g), (pair) => Number.parseInt(pair, 16));

export async function run({ proof: { stateRoot, result } }) {
  const nodes = new Map();
  const store = { load: (hash) => nodes.get(digits(hash)), save: (hash, node) => nodes.set(digits(hash), node) };
  const entries = Array.from({ length: 300 }, (_, index) => [
    keccak256(Uint8Array.of(index & 255, index >> 8)),
    patterned(40, index),
  ]);
  const trie = new Trie(store, emptyTrieRoot);
  for (const [key, value] of entries) trie.put(key, value);
  const root = trie.root();
  const key = entries[7][0];
  const proof = readProof(store, root, key);
  const published = {
    root: bytes(stateRoot),
    key: keccak256(bytes(result.address)),
    nodes: result.accountProof.map(bytes),
  };
  return {
    roots: [root, trieRoot(entries), orderedTrieRoot(entries.map(([, value]) => value))].map(digits),
    leaves: [...trieLeaves(store, root, Uint8Array.of(0xf0))].map((leaf) => [digits(leaf.key), digits(leaf.value)]),
    proven: digits(verifyProof({ root, key, nodes: proof.nodes })),
    published: digits(verifyProof(published)),
    refusals: [
      await codeOf(() => verifyProof({ ...published, nodes: published.nodes.slice(1) })),
      await codeOf(() => trieRoot([entries[0], entries[0]])),
    ],
  };
}
