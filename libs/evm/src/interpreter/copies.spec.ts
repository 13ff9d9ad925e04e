import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { copyInto, copyOf, Slab } from './copies.ts';

test('copies have the bytes of the source, and keep them when it changes', () => {
  const copies: [Uint8Array, Uint8Array][] = [];
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1500 }), fc.nat(1500), fc.nat(1500), (source, one, other) => {
      const from = Math.min(one, other, source.length);
      const length = Math.min(Math.max(one, other), source.length) - from;
      const expected = source.slice(from, from + length);
      const target = new Uint8Array(length + 2);
      copyInto(target, 1, source, from, length);
      expect(target).toEqual(Uint8Array.of(0, ...expected, 0));
      copies.push([copyOf(source, from, length), expected]);
      source.fill(0xee);
    }),
    { numRuns: 500 },
  );
  for (const [copy, expected] of copies) expect(copy).toEqual(expected);
});

test('arrays of a slab are zeros and do not overlap', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(700), { minLength: 1, maxLength: 150 }), (lengths) => {
      const slab = new Slab();
      const taken = lengths.map((length, index) => {
        const bytes = slab.take(length);
        expect(bytes).toEqual(new Uint8Array(length));
        return bytes.fill((index % 255) + 1);
      });
      for (const [index, bytes] of taken.entries())
        expect(bytes).toEqual(new Uint8Array(lengths[index] ?? 0).fill((index % 255) + 1));
    }),
    { numRuns: 30 },
  );
});
