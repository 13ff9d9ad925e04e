import { describe, expect, test } from '@jest/globals';
import { parseGethGenesis } from '../index.ts';
import { commonFromChainSpec, hardforkAt, isPostMerge, terminalTotalDifficulty } from './index.ts';

const specOf = (config: Readonly<Record<string, unknown>>) =>
  parseGethGenesis('test', {
    config: { chainId: 1, homesteadBlock: 0, londonBlock: 0, ...config },
    difficulty: '0x20000',
    gasLimit: '0x1000',
    nonce: '0x0',
    timestamp: '0x0',
    alloc: {},
  }).spec;

describe('hardforkAt', () => {
  const place = (number: bigint, timestamp: bigint, difficulty?: bigint) =>
    difficulty === undefined ? { number, timestamp } : { number, timestamp, difficulty };

  test('takes Paris for the first block without difficulty where the total difficulty decides', () => {
    const common = commonFromChainSpec(specOf({ terminalTotalDifficulty: 786_432 }));
    expect(hardforkAt(common, place(5n, 50n, 131_072n))).toBe('london');
    expect(['paris', 'mergeNetsplitBlock']).toContain(hardforkAt(common, place(6n, 60n, 0n)));
  });

  test('takes a fork by time without the difficulty, since it implies the merge', () => {
    const common = commonFromChainSpec(specOf({ terminalTotalDifficulty: 786_432, shanghaiTime: 100 }));
    expect(hardforkAt(common, place(5n, 50n))).toBe('london');
    expect(hardforkAt(common, place(9n, 100n))).toBe('shanghai');
  });

  test('takes the number of the merge block where the chain names one', () => {
    const common = commonFromChainSpec(
      specOf({ terminalTotalDifficulty: 1, mergeNetsplitBlock: 7, shanghaiTime: 100 }),
    );
    expect(hardforkAt(common, place(6n, 50n, 0n))).toBe('london');
    expect(hardforkAt(common, place(7n, 50n, 0n))).toBe('mergeNetsplitBlock');
  });
});

describe('blocks that are only imagined', () => {
  const common = commonFromChainSpec(
    specOf({ terminalTotalDifficulty: 1, grayGlacierBlock: 20, mergeNetsplitBlock: 30, shanghaiTime: 100 }),
  );

  test('hardforkAt takes the forks by time for a merged block from London on, whatever its number', () => {
    expect(hardforkAt(common, { number: 5n, timestamp: 100n, isMerged: true })).toBe('shanghai');
    expect(hardforkAt(common, { number: 35n, timestamp: 100n, isMerged: false })).toBe('grayGlacier');
  });

  test('isPostMerge goes by the number of the merge or by the time of a fork after it', () => {
    expect(isPostMerge(common, { number: 29n, timestamp: 99n })).toBe(false);
    expect(isPostMerge(common, { number: 30n, timestamp: 0n })).toBe(true);
    expect(isPostMerge(common, { number: 0n, timestamp: 100n })).toBe(true);
  });
});

test('terminalTotalDifficulty is undefined for a chain that starts merged or names its merge block', () => {
  expect(terminalTotalDifficulty(specOf({ terminalTotalDifficulty: 786_432 }))).toBe(786_432n);
  expect(terminalTotalDifficulty(specOf({ terminalTotalDifficulty: 0, shanghaiTime: 0 }))).toBeUndefined();
  expect(terminalTotalDifficulty(specOf({ terminalTotalDifficulty: 5, mergeNetsplitBlock: 9 }))).toBeUndefined();
  expect(terminalTotalDifficulty(specOf({}))).toBeUndefined();
});
