import { readFileSync } from 'node:fs';
import { keccak256 } from '@cairn/cid';
import { decodeRlp, encodeRlp, type RlpItem } from '@cairn/rlp';
import { MerklePatriciaTrie, verifyMPTWithMerkleProof } from '@ethereumjs/mpt';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { emptyTrieRoot, proofLimits, readProof, Trie, verifyProof } from './index.ts';
import { bytes, hex, MemoryNodes } from './memory-nodes.fixture.ts';

const key = fc.uint8Array({ minLength: 1, maxLength: 20 });
const value = fc.uint8Array({ minLength: 1, maxLength: 60 });
const invalid = expect.objectContaining({ code: 'PROOF_INVALID' });

type Entries = readonly (readonly [Uint8Array, Uint8Array])[];

/** Stores a trie whose keys are hashed. */
function makeTrie(entries: Entries): { readonly nodes: MemoryNodes; readonly root: Uint8Array } {
  const nodes = new MemoryNodes();
  const trie = new Trie(nodes, emptyTrieRoot);
  for (const [name, content] of entries) trie.put(keccak256(name), encodeRlp(content));
  return { nodes, root: trie.root() };
}

test('readProof reads present and absent keys; verifyProof and @ethereumjs/mpt accept the proofs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(key, value), { maxLength: 60 }), key, async (entries, absent) => {
      const { nodes, root } = makeTrie(entries);
      const model = new Map(entries.map(([name, content]) => [hex(name), content]));
      for (const name of [...entries.map(([entry]) => entry), absent]) {
        const proof = readProof(nodes, root, keccak256(name));
        const content = model.get(hex(name));
        expect(proof.value && decodeRlp('value', proof.value)).toEqual(content && Uint8Array.from(content));
        expect(verifyProof({ root, key: keccak256(name), nodes: proof.nodes })).toEqual(proof.value);
        if (proof.nodes.length === 0) continue;
        const reference = new MerklePatriciaTrie({ useKeyHashing: true, root });
        const proven = await verifyMPTWithMerkleProof(reference, root, name, [...proof.nodes]);
        expect(proven === null ? undefined : hex(proven)).toEqual(proof.value && hex(proof.value));
      }
    }),
    { numRuns: 50 },
  );
});

test('readProof reports a missing node', () => {
  const nodes = new MemoryNodes();
  expect(() => readProof(nodes, new Uint8Array(32).fill(1), Uint8Array.of(1))).toThrow(
    expect.objectContaining({ code: 'BLOCK_CORRUPT' }),
  );
});

describe('verifyProof', () => {
  const { stateRoot, result } = JSON.parse(
    readFileSync(new URL('../vectors/eth-get-proof.json', import.meta.url), 'utf8'),
  ) as { stateRoot: string; result: Record<string, string> & { accountProof: string[] } };
  const published = {
    root: bytes(stateRoot),
    key: keccak256(bytes(result.address as string)),
    nodes: result.accountProof.map(bytes),
  };

  test('accepts the published proof of eth_getProof', () => {
    const account = decodeRlp('account', verifyProof(published) as Uint8Array) as Uint8Array[];
    expect(account.map(hex)).toEqual(['0x', result.balance, result.storageHash, result.codeHash]);
  });

  test('refuses every change of one bit of the published proof', () => {
    fc.assert(
      fc.property(fc.nat(published.nodes.length - 1), fc.nat(), fc.nat(7), (index, at, bit) => {
        const nodes = published.nodes.map((node) => node.slice());
        const node = nodes[index] as Uint8Array;
        node[at % node.length] = (node[at % node.length] as number) ^ (1 << bit);
        expect(() => verifyProof({ ...published, nodes })).toThrow(invalid);
      }),
    );
  });

  test.each([
    ['no node', []],
    ['a missing last node', published.nodes.slice(0, -1)],
    ['a missing first node', published.nodes.slice(1)],
    ['a superfluous node', [...published.nodes, ...published.nodes.slice(-1)]],
    ['nodes in another order', [...published.nodes].reverse()],
  ])('refuses %s', (_name, nodes) => {
    expect(() => verifyProof({ ...published, nodes })).toThrow(invalid);
  });

  test('refuses a node over 64 KiB before it hashes or decodes it', () => {
    const node = encodeRlp([Uint8Array.of(0x20), new Uint8Array(proofLimits.nodeBytesMax)]);
    expect(() => verifyProof({ root: keccak256(node), key: new Uint8Array(0), nodes: [node] })).toThrow(
      /has 6\d+ bytes, at most 65536/,
    );
  });

  test('refuses more nodes than lie on a path to the key', () => {
    const nodes = new Array(100_000).fill(Uint8Array.of(0x80));
    expect(() => verifyProof({ ...published, nodes })).toThrow(/has 100000 nodes, at most 65/);
  });

  test('refuses a key over 32 bytes', () => {
    expect(() => verifyProof({ ...published, key: new Uint8Array(33) })).toThrow(
      expect.objectContaining({ code: 'TRIE_KEY_INVALID' }),
    );
  });

  test.each<[string, RlpItem]>([
    ['bytes', Uint8Array.of(1, 2)],
    ['a list of 3 items', [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)]],
    ['an extension without a path', [Uint8Array.of(0x00), new Uint8Array(32)]],
    ['an extension without a child', [Uint8Array.of(0x11), new Uint8Array(0)]],
    ['a reference of 31 bytes', [Uint8Array.of(0x11), new Uint8Array(31)]],
    ['a leaf whose value is a list', [Uint8Array.of(0x31), []]],
    ['lists nested over the limit of RLP', Array.from({ length: 40 }).reduce<RlpItem>((item) => [item], [])],
  ])('refuses %s as the node of the root', (_name, item) => {
    const node = encodeRlp(item);
    expect(() => verifyProof({ root: keccak256(node), key: Uint8Array.of(0x11), nodes: [node] })).toThrow(invalid);
  });

  test('accepts the value of a key that ends at a branch', () => {
    const items: RlpItem[] = new Array(17).fill(new Uint8Array(0));
    items[16] = Uint8Array.of(7);
    const node = encodeRlp(items);
    const proof = { root: keccak256(node), nodes: [node] };
    expect(verifyProof({ ...proof, key: new Uint8Array(0) })).toEqual(Uint8Array.of(7));
    expect(verifyProof({ ...proof, key: Uint8Array.of(0x11) })).toBe(undefined);
  });

  test('accepts both forms of a proof that an empty trie has no value', () => {
    const proof = { root: emptyTrieRoot, key: new Uint8Array(32) };
    expect(verifyProof({ ...proof, nodes: [] })).toBe(undefined);
    expect(verifyProof({ ...proof, nodes: [Uint8Array.of(0x80)] })).toBe(undefined);
    expect(() => verifyProof({ ...proof, nodes: [Uint8Array.of(0x81)] })).toThrow(invalid);
  });
});

test('verifyProof names the length of a root that is not a hash', () => {
  expect(() => verifyProof({ root: new Uint8Array(31), key: new Uint8Array(32), nodes: [] })).toThrow(
    'The proof is invalid: its root has 31 bytes, expected 32.',
  );
});
