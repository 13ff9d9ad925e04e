import { expect, test } from '@jest/globals';
import { nextBaseFee } from './fees.ts';

// The cases of go-ethereum's TestCalcBaseFee.
test.each([
  [1_000_000_000n, 20_000_000n, 10_000_000n, 1_000_000_000n],
  [1_000_000_000n, 20_000_000n, 9_000_000n, 987_500_000n],
  [1_000_000_000n, 20_000_000n, 11_000_000n, 1_012_500_000n],
  [1n, 20_000_000n, 11_000_000n, 2n],
  [0n, 20_000_000n, 0n, 0n],
])('base fee %i, limit %i, used %i: %i', (baseFeePerGas, gasLimit, gasUsed, expected) => {
  expect(nextBaseFee({ baseFeePerGas, gasLimit, gasUsed })).toBe(expected);
});

test('there is none before London', () => {
  expect(nextBaseFee({ gasLimit: 1n, gasUsed: 1n })).toBeUndefined();
});
