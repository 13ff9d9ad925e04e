import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bigintFromBytes, bytesFromBigint, parseQuantity, quantity } from './index.ts';

describe('quantities', () => {
  test('parseQuantity returns the number that quantity printed, up to 256 bits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
        expect(parseQuantity('x', quantity(value))).toBe(value);
        expect(bigintFromBytes(bytesFromBigint(value))).toBe(value);
      }),
    );
  });
});
