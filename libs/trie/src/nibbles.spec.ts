import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bytes, hex } from './memory-nodes.fixture.ts';
import { bytesOfNibbles, decodePath, encodePath, nibblesOf } from './nibbles.ts';

describe('hex-prefix encoding', () => {
  // Source: "Merkle Patricia Trie" on ethereum.org.
  test.each([
    [[1, 2, 3, 4, 5], false, '0x112345'],
    [[0, 1, 2, 3, 4, 5], false, '0x00012345'],
    [[0, 15, 1, 12, 11, 8], true, '0x200f1cb8'],
    [[15, 1, 12, 11, 8], true, '0x3f1cb8'],
    [[], true, '0x20'],
    [[], false, '0x00'],
  ])('encodes and decodes the published path %j, leaf %s', (nibbles, isLeaf, encoded) => {
    expect(hex(encodePath(Uint8Array.from(nibbles), isLeaf))).toBe(encoded);
    const decoded = decodePath(bytes(encoded));
    expect({ ...decoded, nibbles: [...decoded.nibbles] }).toEqual({ nibbles, isLeaf });
  });

  test('decoding restores every encoded path', () => {
    const nibble = fc.integer({ min: 0, max: 15 });
    fc.assert(
      fc.property(fc.array(nibble, { maxLength: 70 }), fc.boolean(), (nibbles, isLeaf) => {
        const decoded = decodePath(encodePath(Uint8Array.from(nibbles), isLeaf));
        expect({ ...decoded, nibbles: [...decoded.nibbles] }).toEqual({ nibbles, isLeaf });
      }),
    );
  });

  test.each(['0x', '0x01', '0x2f', '0x40', '0xff00'])('decoding refuses %s', (encoded) => {
    expect(() => decodePath(bytes(encoded))).toThrow(expect.objectContaining({ code: 'BLOCK_CORRUPT' }));
  });
});

test('joining nibbles restores the bytes', () => {
  fc.assert(fc.property(fc.uint8Array(), (key) => expect(bytesOfNibbles(nibblesOf(key))).toEqual(key)));
});
