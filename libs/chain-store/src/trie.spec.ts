import { hexFromBytes } from '@cairn/block-model';
import { MerklePatriciaTrie } from '@ethereumjs/mpt';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type NodeSource, Trie } from './trie.ts';

const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

function memory(): NodeSource & { readonly nodes: Map<string, Uint8Array> } {
  const nodes = new Map<string, Uint8Array>();
  return {
    nodes,
    load(hash) {
      const node = nodes.get(hexFromBytes(hash));
      if (node === undefined) throw new Error(`there is no node ${hexFromBytes(hash)}`);
      return node;
    },
    keep: (hash, node) => void nodes.set(hexFromBytes(hash), node),
  };
}

/** Keys that share much, in few places: tries of every shape. */
const key = fc
  .array(fc.constantFrom(0x00, 0x01, 0x10, 0x11, 0xff), { minLength: 4, maxLength: 4 })
  .map((bytes) => Uint8Array.from(bytes));
const value = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 3 }), fc.uint8Array({ minLength: 30, maxLength: 70 }));
const write = fc.tuple(key, fc.option(value, { nil: undefined, freq: 3 }));
/** Steps of writes; after each the root is asked for, and after some all is read anew. */
const history = fc.array(fc.tuple(fc.array(write, { maxLength: 8 }), fc.boolean()), { minLength: 1, maxLength: 8 });

describe('Trie', () => {
  test('has the roots and the values of @ethereumjs/mpt, whatever is put and removed', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const source = memory();
        const reference = new MerklePatriciaTrie();
        const held = new Map<string, Uint8Array>();
        let trie = new Trie(source, reference.root());
        for (const [writes, isReopened] of steps) {
          for (const [at, what] of writes) {
            if (what === undefined) {
              trie.remove(at);
              await reference.del(at);
              held.delete(hexFromBytes(at));
            } else {
              trie.put(at, what);
              await reference.put(at, what);
              held.set(hexFromBytes(at), what);
            }
          }
          const root = trie.root();
          expect(hexFromBytes(root)).toBe(hexFromBytes(reference.root()));
          if (isReopened) trie = new Trie(source, root);
          for (const [at] of writes) {
            const found = trie.get(at);
            const expected = held.get(hexFromBytes(at));
            expect(found && hexFromBytes(found)).toBe(expected && hexFromBytes(expected));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('every root that it told can be read again', () => {
    const source = memory();
    const trie = new Trie(source, Buffer.from(emptyRoot.slice(2), 'hex'));
    const keyOf = (number: number) => Uint8Array.of(number & 3, number >> 2, 7, number);
    const roots = Array.from({ length: 64 }, (_, number) => {
      trie.put(keyOf(number), new Uint8Array(40).fill(number + 1));
      return trie.root();
    });
    for (const [number, root] of roots.entries()) {
      const past = new Trie(source, root);
      expect(past.get(keyOf(number))?.[0]).toBe(number + 1);
      expect(past.get(keyOf(number + 1))).toBe(undefined);
    }
  });

  test('is empty when all is removed, and tells a node that is missing', () => {
    const source = memory();
    const trie = new Trie(source, Buffer.from(emptyRoot.slice(2), 'hex'));
    expect(hexFromBytes(trie.root())).toBe(emptyRoot);
    trie.put(Uint8Array.of(1, 2), new Uint8Array(40));
    const root = trie.root();
    trie.remove(Uint8Array.of(1, 3));
    expect(trie.root()).toEqual(root);
    trie.remove(Uint8Array.of(1, 2));
    expect(hexFromBytes(trie.root())).toBe(emptyRoot);
    source.nodes.clear();
    expect(() => new Trie(source, root).get(Uint8Array.of(1, 2))).toThrow('there is no node');
  });
});
