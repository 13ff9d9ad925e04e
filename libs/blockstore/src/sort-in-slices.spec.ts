import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareByBytes, sortInSlices } from './sort-in-slices.ts';

test('compareByBytes has the order of the bytes', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareByBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test('sortInSlices sorts as Array.sort does, equal items included', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 3000, size: 'max' }), async (numbers) => {
      const items = numbers.map((key, place) => ({ key, place }));
      const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
      expect(await sortInSlices(items, compare)).toEqual([...items].sort(compare));
    }),
    { numRuns: 30 },
  );
});
