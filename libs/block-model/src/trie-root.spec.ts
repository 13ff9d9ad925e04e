import { createMPT } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hexFromBytes, keccak256, orderedTrieRoot, trieRoot } from './index.ts';

const value = fc.uint8Array({ minLength: 1, maxLength: 60 });

describe('a root made at once equals that of a trie built key by key', () => {
  test('over the RLP of 0, 1, 2, …', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 300 }), async (values) => {
        const trie = await createMPT();
        for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value);
        expect(hexFromBytes(orderedTrieRoot(values))).toBe(hexFromBytes(trie.root()));
      }),
      { numRuns: 25 },
    );
  });

  test('over hashed keys', async () => {
    const entries = fc.uniqueArray(fc.tuple(fc.uint8Array({ maxLength: 32 }), value), {
      selector: ([key]) => hexFromBytes(key),
      maxLength: 100,
    });
    await fc.assert(
      fc.asyncProperty(entries, async (entries) => {
        const trie = await createMPT({ useKeyHashing: true });
        for (const [key, value] of entries) await trie.put(key, value);
        expect(hexFromBytes(trieRoot(entries.map(([key, value]) => [keccak256(key), value])))).toBe(
          hexFromBytes(trie.root()),
        );
      }),
      { numRuns: 50 },
    );
  });
});
