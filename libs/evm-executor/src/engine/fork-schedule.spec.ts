import { type ChainSpec, knownChainSpec } from '@cairn/block-model';
import { forkRules, isMergedAt } from '@cairn/evm';
import { commonFromChainSpec, hardforkAt, isPostMerge } from '@cairn/evm-ethereumjs';
import { getActivePrecompiles } from '@ethereumjs/evm';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

// Schedules and rules of @ethereumjs/common are the oracle.
const flags = {
  isHomestead: 'homestead',
  isTangerineWhistle: 'tangerineWhistle',
  isSpuriousDragon: 'spuriousDragon',
  isByzantium: 'byzantium',
  isConstantinople: 'constantinople',
  isIstanbul: 'istanbul',
  isBerlin: 'berlin',
  isLondon: 'london',
  isMerged: 'paris',
  isShanghai: 'shanghai',
  isCancun: 'cancun',
  isPrague: 'prague',
  isOsaka: 'osaka',
} as const;

interface Place {
  readonly number: bigint;
  readonly timestamp: bigint;
  readonly difficulty?: bigint;
  readonly isMerged?: boolean;
}

function expectSame(spec: ChainSpec, place: Place) {
  const common = commonFromChainSpec(spec);
  const hardfork = hardforkAt(common, place);
  const rules = forkRules(spec, place);
  expect(rules.hardfork).toBe(hardfork);
  expect(isMergedAt(spec, place)).toBe(isPostMerge(common, place));
  common.setHardfork(hardfork);
  for (const [flag, fork] of Object.entries(flags))
    expect([flag, rules[flag as keyof typeof flags]]).toEqual([flag, common.gteHardfork(fork)]);
  expect([...rules.precompiles].sort()).toEqual(
    [...getActivePrecompiles(common).keys()].map((key) => `0x${key}`).sort(),
  );
  expect(rules.chainId).toBe(common.chainId());
  if (rules.isCancun && hardfork !== 'cancun' && !hardfork.startsWith('bpo') && 'known' in spec)
    expect([rules.blobsTarget, rules.blobsMax]).toEqual([6n, 9n]);
}

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const place = fc.record(
  {
    number: fc.oneof(fc.bigInt(0n, 20_000_000n), fc.bigInt(0n, 40n)),
    timestamp: fc.oneof(fc.bigInt(1_600_000_000n, 1_800_000_000n), fc.bigInt(0n, 40n)),
    difficulty: fc.constantFrom(0n, 1n),
    isMerged: fc.boolean(),
  },
  { requiredKeys: ['number', 'timestamp'] },
);

describe('forkRules agrees with @ethereumjs/common', () => {
  test.each(['mainnet', 'sepolia', 'hoodi'] as const)('on %s, at any place', (known) => {
    const spec = knownChainSpec(known, known);
    const common = commonFromChainSpec(spec);
    const places = common.hardforks().flatMap(({ block, timestamp }) => {
      const [number, time] = [BigInt(block ?? 25_000_000), BigInt(timestamp ?? 0)];
      return [-1n, 0n, 1n].map((by) => ({ number: number + by, timestamp: time === 0n ? 0n : time + by }));
    });
    for (const each of places) if (each.number >= 0n) expectSame(spec, each);
    fc.assert(fc.property(place, (each) => expectSame(spec, each)));
  });

  test('on chains defined by genesis files', () => {
    const names = ['homestead', 'eip150', 'eip155', 'byzantium', 'constantinople', 'petersburg', 'istanbul'];
    const blocks = [...names, 'berlin', 'london', 'arrowGlacier', 'grayGlacier'];
    const times = ['shanghai', 'cancun', 'prague', 'osaka', 'bpo1', 'bpo2'];
    const config = fc.record({
      blocks: fc.array(fc.nat(3), { minLength: blocks.length, maxLength: blocks.length }),
      blockCount: fc.nat(blocks.length),
      times: fc.array(fc.nat(3), { minLength: times.length, maxLength: times.length }),
      timeCount: fc.nat(times.length),
      mergeForkBlock: optional(fc.nat(40)),
      mergeNetsplitBlock: optional(fc.nat(40)),
      terminalTotalDifficulty: optional(fc.nat(2)),
      terminalTotalDifficultyPassed: optional(fc.boolean()),
    });
    fc.assert(
      fc.property(config, fc.array(place, { minLength: 1, maxLength: 5 }), (chosen, places) => {
        const { blocks: steps, blockCount, times: waits, timeCount, ...merge } = chosen;
        const schedule: Record<string, number> = {};
        let block = 0;
        for (const [index, name] of blocks.slice(0, blockCount).entries()) {
          block += steps[index] ?? 0;
          schedule[`${name}Block`] = block;
        }
        if (schedule.eip155Block !== undefined) schedule.eip158Block = schedule.eip155Block;
        let time = 5;
        for (const [index, name] of times.slice(0, timeCount).entries()) {
          time += waits[index] ?? 0;
          schedule[`${name}Time`] = time;
        }
        const genesis = {
          config: {
            chainId: 7,
            ...schedule,
            ...Object.fromEntries(Object.entries(merge).filter(([, v]) => v !== undefined)),
          },
          difficulty: '0x1',
          gasLimit: '0x1c9c380',
          nonce: '0x0',
          timestamp: '0x5',
        };
        const spec: ChainSpec = { name: 'own', chainId: '7', genesis };
        for (const each of places) expectSame(spec, each);
      }),
      { numRuns: 300 },
    );
  });
});
