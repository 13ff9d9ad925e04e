import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareByBytes, sortInSlices } from './sort-in-slices.ts';

test('compareByBytes orders texts as Buffer.compare orders their UTF-8', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareByBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test('sortInSlices returns the order of Array.sort, equal items included', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 3000, size: 'max' }), async (numbers) => {
      const items = numbers.map((key, index) => ({ key, index }));
      const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
      expect(await sortInSlices(items, compare)).toEqual([...items].sort(compare));
    }),
    { numRuns: 30 },
  );
});
