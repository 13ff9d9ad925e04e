import { compareBytes } from '@cairn/platform';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { emptyTrieRoot, Trie, trieLeaves } from './index.ts';
import { hex, MemoryNodes } from './memory-nodes.fixture.ts';

const byte = fc.constantFrom(0x00, 0x01, 0x10, 0x11, 0xff);
const key = fc.array(byte, { minLength: 3, maxLength: 3 }).map((bytes) => Uint8Array.from(bytes));
const start = fc.array(byte, { maxLength: 4 }).map((bytes) => Uint8Array.from(bytes));
const value = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 2 }), fc.uint8Array({ minLength: 40, maxLength: 50 }));

test('trieLeaves yields the entries from the start on, in the order of their keys', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(key, value), { selector: ([at]) => hex(at) }), start, (entries, first) => {
      const nodes = new MemoryNodes();
      const trie = new Trie(nodes, emptyTrieRoot);
      for (const [at, content] of entries) trie.put(at, content);
      const expected = entries
        .filter(([at]) => compareBytes(at, first) >= 0)
        .sort(([one], [other]) => compareBytes(one, other))
        .map(([at, content]) => ({ key: hex(at), value: hex(content) }));
      const found = [...trieLeaves(nodes, trie.root(), first)];
      expect(found.map((leaf) => ({ key: hex(leaf.key), value: hex(leaf.value) }))).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test('trieLeaves loads no node of the entries before the start', () => {
  const nodes = new MemoryNodes();
  const trie = new Trie(nodes, emptyTrieRoot);
  for (let at = 0; at < 256; at++) trie.put(Uint8Array.of(at, 0), new Uint8Array(40).fill(1));
  const root = trie.root();
  let loads = 0;
  const counted = {
    load(hash: Uint8Array) {
      loads++;
      return nodes.load(hash);
    },
  };
  expect([...trieLeaves(counted, root, Uint8Array.of(255))]).toHaveLength(1);
  // The root, one branch and one leaf.
  expect(loads).toBe(3);
});
