import { type Header, knownChainSpec } from '@cairn/block-model';
import { forkRules } from '@cairn/evm';
import { describe, expect, test } from '@jest/globals';
import { blockEnvironment, fakeExponential } from './block-environment.ts';
import type { BlockOverrides } from './call-request.ts';
import { testHeader, testSpec } from './test-chain.fixture.ts';

describe('forkRules', () => {
  const mainnet = knownChainSpec('mainnet', 'mainnet');
  test.each([
    [0n, 0n, 'chainstart', 4],
    [1_150_000n, 0n, 'homestead', 4],
    [12_244_000n, 0n, 'berlin', 9],
    [15_537_394n, 0n, 'paris', 9],
    [19_000_000n, 1_700_000_000n, 'shanghai', 9],
    [19_500_000n, 1_711_000_000n, 'cancun', 10],
    [24_476_000n, 1_771_000_000n, 'bpo2', 18],
  ])('block %s at %s of mainnet is %s with %s precompiles', (number, timestamp, hardfork, precompiles) => {
    const rules = forkRules(mainnet, { number, timestamp });
    expect(rules.hardfork).toBe(hardfork);
    expect(rules.precompiles).toHaveLength(precompiles);
    expect(forkRules(mainnet, { number, timestamp })).toBe(rules);
  });

  test('accepts a number and a time that no block has', () => {
    expect(forkRules(mainnet, { number: 24_476_000n, timestamp: 0n }).hardfork).toBe('paris');
    expect(forkRules(mainnet, { number: 9n, timestamp: 2n ** 60n }).hardfork).toBe('chainstart');
  });
});

describe('blockEnvironment', () => {
  test('derives the blob base fee from the excess blob gas (EIP-4844)', () => {
    const header = { ...testHeader, excessBlobGas: 100_000_000n };
    expect(blockEnvironment(testSpec, header).block.blobBaseFee).toBe(fakeExponential(1n, 100_000_000n, 5_007_716n));
    expect(blockEnvironment(testSpec, testHeader).block.blobBaseFee).toBe(1n);
  });

  test('has no blob base fee at the number of an old block, and keeps the base fee of the header for prices', () => {
    const { block, rules } = blockEnvironment(knownChainSpec('mainnet', 'mainnet'), testHeader, {
      number: 5n,
      time: 0n,
    });
    expect(rules.hardfork).toBe('chainstart');
    expect(block.baseFeePerGas).toBe(7n);
    expect(block).not.toHaveProperty('blobBaseFee');
  });

  test('decides about the merge by the difficulty of the header or an overridden random value, as in geth', () => {
    const mainnet = knownChainSpec('mainnet', 'mainnet');
    const before = { ...testHeader, number: 13_000_000n, timestamp: 1_630_000_000n, difficulty: 7n };
    const prevRandao = testHeader.mixHash;
    const forkOf = (header: Header, overrides: BlockOverrides, isByDifficulty?: boolean) =>
      blockEnvironment(mainnet, header, overrides, isByDifficulty).rules.hardfork;
    const late = { time: 1_764_798_551n };
    expect(forkOf(before, late)).toBe('london');
    expect(forkOf(before, { ...late, prevRandao })).toBe('osaka');
    expect(forkOf({ ...before, difficulty: 0n }, { ...late, difficulty: 1n })).toBe('osaka');
    expect(forkOf({ ...before, difficulty: 0n }, { ...late, difficulty: 1n }, true)).toBe('london');
  });
});

test.each([
  // Vectors of execution-specs.
  [1n, 0n, 1n, 1n],
  [38_493n, 0n, 1_000n, 38_493n],
  [1n, 2n, 1n, 6n],
  [1n, 4n, 2n, 6n],
  [1n, 3n, 1n, 16n],
  [1n, 8n, 2n, 50n],
  [10n, 8n, 2n, 542n],
  [1n, 5_000_000n, 2_225_652n, 9n],
])('fakeExponential(%s, %s, %s) is %s', (factor, numerator, denominator, expected) => {
  expect(fakeExponential(factor, numerator, denominator)).toBe(expected);
});
