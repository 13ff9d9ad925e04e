import { describe, expect, test } from '@jest/globals';
import { nextBaseFee, nextExcessBlobGas } from './fees.ts';

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

describe('nextExcessBlobGas', () => {
  const blob = 131_072n;
  const cancun = { blobsTarget: 3n, blobsMax: 6n, blobFeeUpdateFraction: 3_338_477n, isOsaka: false };
  const osaka = { blobsTarget: 6n, blobsMax: 9n, blobFeeUpdateFraction: 5_007_716n, isOsaka: true };

  // The cases of go-ethereum's TestCalcExcessBlobGas.
  test.each([
    [0n, 0n, 0n],
    [0n, 1n, 0n],
    [0n, 3n, 0n],
    [0n, 4n, blob],
    [1n, 4n, blob + 1n],
    [1n, 5n, 2n * blob + 1n],
    [3n * blob, 3n, 3n * blob],
    [3n * blob, 2n, 2n * blob],
    [3n * blob, 1n, blob],
    [blob - 1n, 2n, 0n],
  ])('excess %i and %i blobs give %i', (excessBlobGas, blobs, expected) => {
    expect(nextExcessBlobGas({ excessBlobGas, blobGasUsed: blobs * blob }, cancun)).toBe(expected);
  });

  test('is 0 after a block without blob fields', () => {
    expect(nextExcessBlobGas({ baseFeePerGas: 7n }, cancun)).toBe(0n);
  });

  test('rises by a share of the used gas while a blob costs less than its execution (EIP-7918)', () => {
    const parent = { excessBlobGas: 6n * blob, blobGasUsed: 9n * blob };
    // The blob base fee is 1 wei: the floor applies above a base fee of 131,072 / 8,192 = 16 wei.
    expect(nextExcessBlobGas({ ...parent, baseFeePerGas: 16n }, osaka)).toBe(9n * blob);
    expect(nextExcessBlobGas({ ...parent, blobGasUsed: 6n * blob, baseFeePerGas: 16n }, osaka)).toBe(6n * blob);
    expect(nextExcessBlobGas({ ...parent, blobGasUsed: 6n * blob, baseFeePerGas: 17n }, osaka)).toBe(8n * blob);
  });
});
