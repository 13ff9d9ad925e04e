import { keccak256 } from '@cairn/cid';
import { compareBytes } from '@cairn/platform';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { emptyTrieRoot, SortedTrie, Trie, trieRoot } from './index.ts';
import { bytes, hex, MemoryNodes } from './memory-nodes.fixture.ts';

type Entries = readonly (readonly [Uint8Array, Uint8Array])[];

const value = fc.uint8Array({ minLength: 1, maxLength: 60 });
/** Two-byte keys share long prefixes, so that extensions and nodes inside their parents occur; hashes rarely do. */
const entries: fc.Arbitrary<Entries> = fc
  .tuple(fc.boolean(), fc.uniqueArray(fc.tuple(fc.nat(0xffff), value), { selector: ([key]) => key, maxLength: 100 }))
  .map(([isHashed, items]) =>
    items
      .map(([key, content]) => {
        const name = Uint8Array.of(key >> 8, key & 0xff);
        return [isHashed ? keccak256(name) : name, content] as const;
      })
      .sort(([a], [b]) => compareBytes(a, b)),
  );

function storedBy(fill: (nodes: MemoryNodes) => Uint8Array) {
  const nodes = new MemoryNodes();
  return { root: hex(fill(nodes)), nodes: nodes.nodes };
}

const reference = (leaves: Entries) =>
  storedBy((nodes) => {
    const trie = new Trie(nodes, emptyTrieRoot);
    for (const [key, content] of leaves) trie.put(key, content);
    return trie.root();
  });

describe('SortedTrie', () => {
  test('computes the root and the nodes of Trie for any leaves', () => {
    fc.assert(
      fc.property(entries, (leaves) => {
        const sorted = storedBy((nodes) => {
          const trie = new SortedTrie((hash, node) => nodes.save(hash, node));
          for (const [key, content] of leaves) trie.add(key, content);
          return trie.root();
        });
        expect(sorted).toEqual(reference(leaves));
        expect(sorted.root).toBe(hex(trieRoot(leaves)));
      }),
      { numRuns: 300 },
    );
  });

  test('continues from the state of another instance after any leaf', () => {
    fc.assert(
      fc.property(entries, (leaves) => {
        const resumed = storedBy((nodes) => {
          const onNode = (hash: Uint8Array, node: Uint8Array) => nodes.save(hash, node);
          let trie = new SortedTrie(onNode);
          for (const [key, content] of leaves) {
            trie = new SortedTrie(onNode, JSON.parse(JSON.stringify(trie.state)));
            trie.add(key, content);
          }
          return new SortedTrie(onNode, JSON.parse(JSON.stringify(trie.state))).root();
        });
        expect(resumed).toEqual(reference(leaves));
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ['is repeated', '0x0102', '0x0102'],
    ['precedes the last one', '0x0102', '0x0101'],
    ['has another length', '0x0102', '0x010203'],
  ])('refuses a key that %s', (_name, one, other) => {
    const trie = new SortedTrie();
    trie.add(bytes(one), Uint8Array.of(1));
    expect(() => trie.add(bytes(other), Uint8Array.of(1))).toThrow(
      expect.objectContaining({ code: 'TRIE_KEY_INVALID' }),
    );
  });
});
