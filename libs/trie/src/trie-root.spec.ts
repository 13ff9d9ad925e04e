import { keccak256 } from '@cairn/cid';
import { createMPT } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { emptyTrieRoot, orderedTrieRoot, SortedTrie, Trie, trieRoot } from './index.ts';
import { bytes, hex, MemoryNodes } from './memory-nodes.fixture.ts';

const value = fc.uint8Array({ minLength: 1, maxLength: 60 });
const utf8 = (text: string) => new TextEncoder().encode(text);

/** Vectors of ethereum/tests, TrieTests: trieanyorder_secureTrie.json and hex_encoded_securetrie_test.json. */
const published: readonly (readonly [name: string, entries: readonly (readonly [string, string])[], root: string])[] = [
  ['singleItem', [['A', 'a'.repeat(50)]], '0xe9e2935138352776cad724d31c9fa5266a5c593bb97726dd2a908fe6d53284df'],
  [
    'dogs',
    [
      ['doe', 'reindeer'],
      ['dog', 'puppy'],
      ['dogglesworth', 'cat'],
    ],
    '0xd4cd937e4a4368d7931a9cf51686b7e10abb3dce38a39000fd7902a092b64585',
  ],
  [
    'puppy',
    [
      ['do', 'verb'],
      ['horse', 'stallion'],
      ['doge', 'coin'],
      ['dog', 'puppy'],
    ],
    '0x29b235a58c3c25ab83010c327d5932bcf05324b7d6b1185e650798034783ca9d',
  ],
  [
    'hex_encoded test1',
    [
      [
        '0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b',
        '0xf848018405f446a7a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421a0c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
      ],
      [
        '0x095e7baea6a6c7c4c2dfeb977efac326af552d87',
        '0xf8440101a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421a004bccc5d94f4d1f99aab44369a910179931772f2a5c001c3229f57831c102769',
      ],
      [
        '0xd2571607e241ecf590ed94b12d87c94babe36db6',
        '0xf8440180a0ba4b47865c55a341a4a78759bb913cd15c3ee8eaf30a62fa8d1c8863113d84e8a0c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
      ],
      [
        '0x62c01474f089b07dae603491675dc5b5748f7049',
        '0xf8448080a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421a0c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
      ],
      [
        '0x2adc25665018aa1fe0e6bc666dac8fc2697ff9ba',
        '0xf8478083019a59a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421a0c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
      ],
    ],
    '0x730a444e08ab4b8dee147c9b232fc52d34a223d600031c1e9d25bfc985cbd797',
  ],
];

describe('trieRoot', () => {
  test.each(published)('computes the published root of %s, as Trie does', (_name, texts, root) => {
    const raw = (text: string) => (text.startsWith('0x') ? bytes(text) : utf8(text));
    const entries = texts.map(([key, content]) => [keccak256(raw(key)), raw(content)] as const);
    expect(hex(trieRoot(entries))).toBe(root);
    const trie = new Trie(new MemoryNodes(), emptyTrieRoot);
    for (const [key, content] of entries) trie.put(key, content);
    expect(hex(trie.root())).toBe(root);
  });

  test('computes the root of @ethereumjs/mpt for random hashed keys', async () => {
    const entries = fc.uniqueArray(fc.tuple(fc.uint8Array({ maxLength: 32 }), value), {
      selector: ([key]) => hex(key),
      maxLength: 100,
    });
    await fc.assert(
      fc.asyncProperty(entries, async (entries) => {
        const trie = await createMPT({ useKeyHashing: true });
        for (const [key, value] of entries) await trie.put(key, value);
        expect(hex(trieRoot(entries.map(([key, value]) => [keccak256(key), value])))).toBe(hex(trie.root()));
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ['given twice', '0x0102', '0x0102'],
    ['a prefix of another key', '0x01', '0x0102'],
    ['empty beside another key', '0x', '0x01'],
  ])('refuses a key that is %s', (_name, one, other) => {
    const entries = [one, other].map((key) => [bytes(key), Uint8Array.of(1)] as const);
    for (const order of [entries, [...entries].reverse()])
      expect(() => trieRoot(order)).toThrow(expect.objectContaining({ code: 'TRIE_KEY_INVALID' }));
  });
});

test('orderedTrieRoot computes the root of @ethereumjs/mpt for random values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 300 }), async (values) => {
      const trie = await createMPT();
      for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value);
      expect(hex(orderedTrieRoot(values))).toBe(hex(trie.root()));
    }),
    { numRuns: 25 },
  );
});

test.each<[string, () => unknown]>([
  ['trieRoot', () => trieRoot([[Uint8Array.of(1), new Uint8Array(0)]])],
  ['orderedTrieRoot', () => orderedTrieRoot([Uint8Array.of(1), new Uint8Array(0)])],
  ['SortedTrie', () => new SortedTrie().add(Uint8Array.of(1), new Uint8Array(0))],
])('%s refuses an empty value, which would give a root that no trie has', (_, compute) => {
  expect(compute).toThrow(expect.objectContaining({ code: 'TRIE_VALUE_EMPTY', details: { key: '01' } }));
});
