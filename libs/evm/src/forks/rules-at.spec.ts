import { type ChainSpec, forkSchedule, type Hex, knownChainSpec, opChainSpec } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import { Precompiles } from '../precompiles/precompiles.ts';
import { forkRules } from './rules-at.ts';

const p256Address: Hex = `0x${'100'.padStart(40, '0')}`;

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

test('OP-stack chains have P256VERIFY since Fjord, and shorter inputs of pairings with each fork', () => {
  const base = opChainSpec('base', 8453n);
  if (base === undefined) throw new Error('Base is unknown');
  const at = (timestamp: bigint) => {
    const { precompiles, precompileInputMax, isOpStack } = forkRules(base, { number: 1n, timestamp, difficulty: 0n });
    return [precompiles.includes(p256Address), precompileInputMax.get(8), precompileInputMax.get(15), isOpStack];
  };
  expect(at(1_720_627_200n)).toEqual([false, undefined, undefined, true]);
  expect(at(1_720_627_201n)).toEqual([true, undefined, undefined, true]);
  expect(at(1_726_070_401n)).toEqual([true, 112_687, undefined, true]);
  expect(at(1_746_806_401n)).toEqual([true, 112_687, 235_008, true]);
  expect(at(1_764_691_201n)).toEqual([true, 81_984, 156_672, true]);
});

test('a precompile fails above its maximum input length, and P256VERIFY has the price of RIP-7212', async () => {
  const base = opChainSpec('base', 8453n);
  if (base === undefined) throw new Error('Base is unknown');
  const rules = forkRules(base, { number: 1n, timestamp: 1_764_691_201n, difficulty: 0n });
  const at = (address: number) => {
    const bytes = new Uint8Array(20);
    new DataView(bytes.buffer).setUint32(16, address);
    const precompile = new Precompiles(rules).at(bytes, { removed: new Set(), moved: new Map() });
    if (precompile === undefined) throw new Error('the precompile is missing');
    return precompile;
  };
  const long = await at(8).run(new Uint8Array(192 * 428), 1_000_000_000);
  expect(long.fault?.reason).toBe('bad elliptic curve pairing input size');
  expect((await at(256).run(new Uint8Array(160), 10_000)).gasUsed).toBe(3450);
});

test('forkSchedule refuses a genesis file with EIP-155 and EIP-158 at different blocks', () => {
  const genesis = { config: { chainId: 7, eip155Block: 1, eip158Block: 2 }, timestamp: '0x0' };
  expect(() => forkSchedule({ name: 'own', chainId: '7', genesis })).toThrow(
    expect.objectContaining({ code: 'VALUE_INVALID' }),
  );
});
