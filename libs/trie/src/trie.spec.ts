import { MerklePatriciaTrie } from '@ethereumjs/mpt';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { emptyTrieRoot, Trie } from './index.ts';
import { hex, MemoryNodes } from './memory-nodes.fixture.ts';

/** Keys of a few repeated bytes: they share long paths, so tries take every shape. */
const key = fc
  .array(fc.constantFrom(0x00, 0x01, 0x10, 0x11, 0xff), { minLength: 4, maxLength: 4 })
  .map((bytes) => Uint8Array.from(bytes));
const value = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 3 }), fc.uint8Array({ minLength: 30, maxLength: 70 }));
const write = fc.tuple(key, fc.option(value, { nil: undefined, freq: 3 }));
/** Steps of writes. The root is compared after each step; after some the trie is opened again from its root. */
const history = fc.array(fc.tuple(fc.array(write, { maxLength: 8 }), fc.boolean()), { minLength: 1, maxLength: 8 });

describe('Trie', () => {
  test('has the roots and values of @ethereumjs/mpt after random writes and removals', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const nodes = new MemoryNodes();
        const reference = new MerklePatriciaTrie();
        const model = new Map<string, Uint8Array>();
        let trie = new Trie(nodes, reference.root());
        for (const [writes, isReopened] of steps) {
          for (const [at, content] of writes) {
            if (content === undefined) {
              trie.remove(at);
              await reference.del(at);
              model.delete(hex(at));
            } else {
              trie.put(at, content);
              await reference.put(at, content);
              model.set(hex(at), content);
            }
          }
          const root = trie.root();
          expect(hex(root)).toBe(hex(reference.root()));
          if (isReopened) trie = new Trie(nodes, root);
          for (const [at] of writes) {
            const found = trie.get(at);
            const expected = model.get(hex(at));
            expect(found && hex(found)).toBe(expected && hex(expected));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('every earlier root stays readable', () => {
    const nodes = new MemoryNodes();
    const trie = new Trie(nodes, emptyTrieRoot);
    const keyOf = (number: number) => Uint8Array.of(number & 3, number >> 2, 7, number);
    const roots = Array.from({ length: 64 }, (_, number) => {
      trie.put(keyOf(number), new Uint8Array(40).fill(number + 1));
      return trie.root();
    });
    for (const [number, root] of roots.entries()) {
      const past = new Trie(nodes, root);
      expect(past.get(keyOf(number))?.[0]).toBe(number + 1);
      expect(past.get(keyOf(number + 1))).toBe(undefined);
    }
  });

  test('has the empty root after all keys are removed, and reports a missing node', () => {
    const nodes = new MemoryNodes();
    const trie = new Trie(nodes, emptyTrieRoot);
    expect(hex(trie.root())).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421');
    trie.put(Uint8Array.of(1, 2), new Uint8Array(40));
    const root = trie.root();
    trie.remove(Uint8Array.of(1, 3));
    expect(trie.root()).toEqual(root);
    trie.remove(Uint8Array.of(1, 2));
    expect(trie.root()).toEqual(emptyTrieRoot);
    nodes.nodes.clear();
    expect(() => new Trie(nodes, root).get(Uint8Array.of(1, 2))).toThrow(
      expect.objectContaining({ code: 'BLOCK_CORRUPT' }),
    );
  });

  test('removes a key that gets an empty value, as @ethereumjs/mpt does', async () => {
    const trie = new Trie(new MemoryNodes(), emptyTrieRoot);
    const reference = new MerklePatriciaTrie();
    for (const [at, content] of [
      [1, 7],
      [2, 8],
      [1, undefined],
    ] as const) {
      const written = content === undefined ? new Uint8Array(0) : Uint8Array.of(content);
      trie.put(Uint8Array.of(at), written);
      await reference.put(Uint8Array.of(at), written);
    }
    expect(trie.get(Uint8Array.of(1))).toBe(undefined);
    expect(hex(trie.root())).toBe(hex(reference.root()));
  });

  test('refuses to write a key that is a prefix of another key, or begins with one', () => {
    const keys = [[1], [2], [1, 2], [1, 3], [0x12], [0x12, 0x34, 0x56], []].map((bytes) => Uint8Array.from(bytes));
    const isPrefix = (one: Uint8Array, other: Uint8Array) => hex(other).startsWith(hex(one));
    for (const one of keys)
      for (const other of keys.filter((key) => key !== one)) {
        const trie = new Trie(new MemoryNodes(), emptyTrieRoot);
        trie.put(one, Uint8Array.of(7));
        const write = () => trie.put(other, Uint8Array.of(8));
        if (isPrefix(one, other) || isPrefix(other, one)) {
          expect(write).toThrow(expect.objectContaining({ code: 'TRIE_KEY_INVALID', details: expect.anything() }));
          trie.remove(other);
        } else write();
        expect(trie.get(one)).toEqual(Uint8Array.of(7));
        expect(trie.get(other)).toEqual(isPrefix(one, other) || isPrefix(other, one) ? undefined : Uint8Array.of(8));
      }
  });

  test.each<[string, Uint8Array | undefined]>([
    ['no bytes', new Uint8Array(0)],
    ['undefined', undefined],
    ['bytes that are not RLP', Uint8Array.of(0xc1)],
  ])('throws BLOCK_CORRUPT with the hash of the node where a store returns %s', (_, node) => {
    const trie = new Trie({ load: () => node as Uint8Array, save: () => {} }, new Uint8Array(32).fill(0xab));
    expect(() => trie.get(Uint8Array.of(1))).toThrow(
      expect.objectContaining({ code: 'BLOCK_CORRUPT', message: expect.stringContaining(`0x${'ab'.repeat(32)}`) }),
    );
  });
});
