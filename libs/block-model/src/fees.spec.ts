import { expect, test } from '@jest/globals';
import { nextBaseFee } from './fees.ts';

// Cases of TestCalcBaseFee in go-ethereum.
test.each([
  [1_000_000_000n, 20_000_000n, 10_000_000n, 1_000_000_000n],
  [1_000_000_000n, 20_000_000n, 9_000_000n, 987_500_000n],
  [1_000_000_000n, 20_000_000n, 11_000_000n, 1_012_500_000n],
  [1n, 20_000_000n, 11_000_000n, 2n],
  [0n, 20_000_000n, 0n, 0n],
])('nextBaseFee after base fee %i, limit %i, used %i is %i', (baseFeePerGas, gasLimit, gasUsed, expected) => {
  expect(nextBaseFee({ baseFeePerGas, gasLimit, gasUsed })).toBe(expected);
});

test('nextBaseFee is undefined before London', () => {
  expect(nextBaseFee({ gasLimit: 1n, gasUsed: 1n })).toBeUndefined();
});
