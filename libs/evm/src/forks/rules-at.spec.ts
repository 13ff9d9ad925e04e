import { type ChainSpec, forkSchedule, knownChainSpec } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import { forkRules } from './rules-at.ts';

const mainnet = knownChainSpec('main', 'mainnet');

// https://ethereum.org/ethereum-forks
test.each([
  [1_149_999n, 0n, 'chainstart', 4],
  [4_370_000n, 0n, 'byzantium', 8],
  [15_537_394n, 1_663_224_179n, 'paris', 9],
  [19_426_587n, 1_710_338_135n, 'cancun', 10],
  [22_431_084n, 1_746_612_311n, 'prague', 17],
] as const)(
  'block %s of mainnet at %s has the rules of %s with %s precompiles',
  (number, timestamp, fork, precompiles) => {
    const rules = forkRules(mainnet, { number, timestamp });
    expect(rules.hardfork).toBe(fork);
    expect(rules.precompiles.length).toBe(precompiles);
  },
);

test('forkRules takes the blob counts that a genesis file names for each fork', () => {
  const genesis = {
    config: {
      chainId: 7,
      shanghaiTime: 0,
      cancunTime: 0,
      pragueTime: 10,
      bpo1Time: 20,
      blobSchedule: {
        cancun: { target: 1, max: 2, baseFeeUpdateFraction: 3 },
        bpo1: { target: 4, max: 5, baseFeeUpdateFraction: 6 },
      },
    },
    timestamp: '0x0',
  };
  const spec: ChainSpec = { name: 'own', chainId: '7', genesis };
  const at = (timestamp: bigint) => {
    const { blobsTarget, blobsMax, blobFeeUpdateFraction } = forkRules(spec, { number: 1n, timestamp });
    return [blobsTarget, blobsMax, blobFeeUpdateFraction];
  };
  expect(at(1n)).toEqual([1n, 2n, 3n]);
  expect(at(10n)).toEqual([6n, 9n, 5_007_716n]);
  expect(at(20n)).toEqual([4n, 5n, 6n]);
});

test('forkSchedule refuses a genesis file with EIP-155 and EIP-158 at different blocks', () => {
  const genesis = { config: { chainId: 7, eip155Block: 1, eip158Block: 2 }, timestamp: '0x0' };
  expect(() => forkSchedule({ name: 'own', chainId: '7', genesis })).toThrow(
    expect.objectContaining({ code: 'VALUE_INVALID' }),
  );
});
