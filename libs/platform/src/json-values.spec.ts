import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countJsonValues } from './index.ts';

const countOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce((sum: number, each) => sum + countOf(each), 0)
    : 1;

test('countJsonValues is at least the number of values within the whole', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const counted = countJsonValues(Buffer.from(JSON.stringify(value)));
      expect(counted).toBeGreaterThanOrEqual(countOf(value) - 1);
    }),
  );
  expect(countJsonValues(Buffer.from('[{},[1,2]]'))).toBe(5);
  expect(countJsonValues(Buffer.from('1'))).toBe(0);
});
