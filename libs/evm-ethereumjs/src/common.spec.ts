import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { knownChainSpec, parseGethGenesis, terminalTotalDifficulty } from '@cairn/block-model';
import { conformanceDirectory, hasConformanceCases } from '@cairn/block-model/testing';
import { describe, expect, test } from '@jest/globals';
import { commonFromChainSpec, hardforkAt, isPostMerge } from './index.ts';

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

  test('takes Paris for the first block without difficulty when the total difficulty decides', () => {
    const common = commonFromChainSpec(specOf({ terminalTotalDifficulty: 786_432 }));
    expect(hardforkAt(common, place(5n, 50n, 131_072n))).toBe('london');
    expect(['paris', 'mergeNetsplitBlock']).toContain(hardforkAt(common, place(6n, 60n, 0n)));
  });

  test('takes a fork by time without the difficulty, since it implies the merge', () => {
    const common = commonFromChainSpec(specOf({ terminalTotalDifficulty: 786_432, shanghaiTime: 100 }));
    expect(hardforkAt(common, place(5n, 50n))).toBe('london');
    expect(hardforkAt(common, place(9n, 100n))).toBe('shanghai');
  });

  test('takes the number of the merge block when the chain names one', () => {
    const common = commonFromChainSpec(
      specOf({ terminalTotalDifficulty: 1, mergeNetsplitBlock: 7, shanghaiTime: 100 }),
    );
    expect(hardforkAt(common, place(6n, 50n, 0n))).toBe('london');
    expect(hardforkAt(common, place(7n, 50n, 0n))).toBe('mergeNetsplitBlock');
  });
});

describe('simulated blocks', () => {
  const common = commonFromChainSpec(
    specOf({ terminalTotalDifficulty: 1, grayGlacierBlock: 20, mergeNetsplitBlock: 30, shanghaiTime: 100 }),
  );

  test('hardforkAt takes the forks by time for a merged block from London on, for any number', () => {
    expect(hardforkAt(common, { number: 5n, timestamp: 100n, isMerged: true })).toBe('shanghai');
    expect(hardforkAt(common, { number: 35n, timestamp: 100n, isMerged: false })).toBe('grayGlacier');
  });

  test('isPostMerge depends on the number of the merge or the time of a later fork', () => {
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

describe('commonFromChainSpec', () => {
  test('commonFromChainSpec has the forks of mainnet', () => {
    const at = (number: bigint, timestamp: bigint) =>
      commonFromChainSpec(knownChainSpec('m', 'mainnet'), { at: { number, timestamp } }).hardfork();
    expect([at(0n, 0n), at(1_150_000n, 0n), at(12_965_000n, 0n), at(20_000_000n, 1_710_338_135n)]).toEqual([
      'chainstart',
      'homestead',
      'london',
      'cancun',
    ]);
    const [bpo1, bpo2] = [1_765_290_071n, 1_767_747_671n].map((timestamp) =>
      commonFromChainSpec(knownChainSpec('m', 'mainnet'), { at: { number: 24_000_000n, timestamp } }),
    );
    expect([bpo1?.hardfork(), bpo1?.param('target'), bpo1?.param('max')]).toEqual(['bpo1', 10n, 15n]);
    expect([bpo2?.hardfork(), bpo2?.param('target'), bpo2?.param('max')]).toEqual(['bpo2', 14n, 21n]);
  });

  (hasConformanceCases ? test : test.skip)(
    'commonFromChainSpec has the fork of every block of the conformance chain, with its blob counts',
    () => {
      const read = (name: string) =>
        JSON.parse(readFileSync(join(conformanceDirectory, 'execution-apis', name), 'utf8'));
      const schedule: Record<string, string> = read('forkenv.json');
      const { spec } = parseGethGenesis('hive', read('genesis.json'));
      // Names of forkenv.json. The chain has a block every ten seconds.
      const forks = [
        ['homestead', 'HIVE_FORK_HOMESTEAD'],
        ['tangerineWhistle', 'HIVE_FORK_TANGERINE'],
        ['spuriousDragon', 'HIVE_FORK_SPURIOUS'],
        ['byzantium', 'HIVE_FORK_BYZANTIUM'],
        ['constantinople', 'HIVE_FORK_CONSTANTINOPLE'],
        ['petersburg', 'HIVE_FORK_PETERSBURG'],
        ['istanbul', 'HIVE_FORK_ISTANBUL'],
        ['muirGlacier', 'HIVE_FORK_MUIR_GLACIER'],
        ['berlin', 'HIVE_FORK_BERLIN'],
        ['london', 'HIVE_FORK_LONDON'],
        ['arrowGlacier', 'HIVE_FORK_ARROW_GLACIER'],
        ['grayGlacier', 'HIVE_FORK_GRAY_GLACIER'],
        // Name of the merge in @ethereumjs/common when a genesis file contains its block.
        ['mergeNetsplitBlock', 'HIVE_MERGE_BLOCK_ID'],
        ['shanghai', 'HIVE_SHANGHAI_TIMESTAMP'],
        ['cancun', 'HIVE_CANCUN_TIMESTAMP'],
        ['prague', 'HIVE_PRAGUE_TIMESTAMP'],
        ['osaka', 'HIVE_OSAKA_TIMESTAMP'],
        ['bpo1', 'HIVE_BPO1_TIMESTAMP'],
        ['bpo2', 'HIVE_BPO2_TIMESTAMP'],
      ].map(([name = '', key = '']) => {
        const start = Number(schedule[key]) / (key.endsWith('_TIMESTAMP') ? 10 : 1);
        const blobs = ['TARGET', 'MAX', 'BASE_FEE_UPDATE_FRACTION'].map(
          (field) => schedule[`HIVE_${name.toUpperCase()}_BLOB_${field}`],
        );
        return { name, start, blobs };
      });
      for (let number = 1; number <= 54; number++) {
        const common = commonFromChainSpec(spec, { at: { number: BigInt(number), timestamp: BigInt(number * 10) } });
        const { name, blobs } = forks.findLast(({ start }) => start <= number) ?? {};
        expect([number, common.hardfork()]).toEqual([number, name]);
        expect(common.isActivatedEIP(4399)).toBe(number >= Number(schedule.HIVE_MERGE_BLOCK_ID));
        if (blobs?.[0] === undefined) continue;
        const scale = name?.startsWith('bpo') ? 1n : 131_072n;
        const [target, max] = scale === 1n ? ['target', 'max'] : ['targetBlobGasPerBlock', 'maxBlobGasPerBlock'];
        const counts = [target, max].map((param = '') => String(common.param(param) / scale));
        expect([...counts, String(common.param('blobGasPriceUpdateFraction'))]).toEqual(blobs);
      }
    },
  );
});
