// Run with `npm run bench`: roots, writes and proofs through this package and through @ethereumjs/mpt, in turns in one run.
import { keccak256 } from '@cairn/cid';
import { createMPT, MerklePatriciaTrie, verifyMPTWithMerkleProof } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { test } from '@jest/globals';
import { emptyTrieRoot, orderedTrieRoot, readProof, Trie, verifyProof } from './index.ts';
import { MemoryNodes } from './memory-nodes.fixture.ts';

const roundMs = 400;
const rounds = 5;

/** Prints operations per second of each: the slowest and the fastest round. The first round warms up. */
async function measure(operations: Readonly<Record<string, () => unknown>>): Promise<void> {
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(operations)) {
      let count = 0;
      const start = performance.now();
      while (performance.now() - start < roundMs) {
        await run();
        count++;
      }
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), (count * 1_000) / (performance.now() - start)]);
    }
  }
  for (const [name, list] of rates) {
    const shown = [Math.min(...list), Math.max(...list)].map((rate) => rate.toFixed(0));
    process.stdout.write(`${name.padEnd(52)} ${shown.join(' to ')} per second\n`);
  }
}

const keyOf = (number: number) => keccak256(Uint8Array.of(number >> 16, (number >> 8) & 255, number & 255));
const valueFor = (number: number, length: number) => new Uint8Array(length).fill(number + 1);

test('roots, writes and proofs', async () => {
  const transactions = Array.from({ length: 200 }, (_, number) => valueFor(number, 150 + number));
  const nodes = new MemoryNodes();
  const reference = new MerklePatriciaTrie();
  const full = new Trie(nodes, emptyTrieRoot);
  for (let number = 0; number < 10_000; number++) {
    full.put(keyOf(number), valueFor(number, 70));
    await reference.put(keyOf(number), valueFor(number, 70));
  }
  const root = full.root();
  const key = keyOf(77);
  const proof = readProof(nodes, root, key);
  await measure({
    'root of 200 transactions': () => orderedTrieRoot(transactions),
    'root of 200 transactions, @ethereumjs/mpt': async () => {
      const trie = await createMPT();
      for (const [index, value] of transactions.entries()) await trie.put(RLP.encode(index), value);
      return trie.root();
    },
    'state root, 300 of 10,000 accounts written': () => {
      const trie = new Trie(nodes, root);
      for (let number = 0; number < 300; number++) trie.put(keyOf(number * 33), valueFor(number, 71));
      return trie.root();
    },
    'state root, the same, @ethereumjs/mpt': async () => {
      const trie = reference.shallowCopy();
      for (let number = 0; number < 300; number++) await trie.put(keyOf(number * 33), valueFor(number, 71));
      return trie.root();
    },
    'proof read': () => readProof(nodes, root, key),
    'proof verified': () => verifyProof({ root, key, nodes: proof.nodes }),
    'proof verified, @ethereumjs/mpt': () =>
      verifyMPTWithMerkleProof(new MerklePatriciaTrie({ root }), root, key, [...proof.nodes]),
  });
}, 120_000);
