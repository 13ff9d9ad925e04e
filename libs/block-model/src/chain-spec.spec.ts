import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { commonFromChainSpec } from './ethereumjs/index.ts';
import { knownChainSpec, parseGethGenesis } from './index.ts';
import { conformanceDirectory, hasConformanceCases } from './testing/index.ts';

const genesis = {
  config: {
    chainId: 99,
    homesteadBlock: 0,
    eip150Block: 0,
    eip155Block: 0,
    eip158Block: 0,
    byzantiumBlock: 0,
    constantinopleBlock: 0,
    petersburgBlock: 0,
    istanbulBlock: 0,
    berlinBlock: 0,
    londonBlock: 0,
    shanghaiTime: 100,
  },
  nonce: '0x0',
  timestamp: '0x0',
  extraData: '0x',
  gasLimit: '0x1c9c380',
  difficulty: '0x0',
  alloc: { [`0x${'11'.repeat(20)}`]: { balance: '0x1' } },
};

const withAccount = (account: unknown) => ({ ...genesis, alloc: { [`0x${'11'.repeat(20)}`]: account } });

const withConfig = (config: object) => ({ ...genesis, config: { ...genesis.config, ...config } });

describe('parseGethGenesis', () => {
  test('splits rules from accounts; the rules survive JSON', () => {
    const { spec, alloc } = parseGethGenesis('test', genesis);
    expect(spec).toMatchObject({ name: 'test', chainId: '99' });
    expect(Object.keys(alloc)).toHaveLength(1);
    const common = commonFromChainSpec(JSON.parse(JSON.stringify(spec)), { at: { number: 5n, timestamp: 100n } });
    expect(common.hardfork()).toBe('shanghai');
    expect(common.chainId()).toBe(99n);
  });

  test.each([
    ['genesis', null],
    ['genesis.config', { ...genesis, config: 5 }],
    ['genesis.config.chainId', { ...genesis, config: { chainId: '1' } }],
    ['genesis.gasLimit', { ...genesis, gasLimit: undefined }],
    ['genesis.alloc', { ...genesis, alloc: { short: { balance: '0x1' } } }],
    ['genesis.config.londonBlock', withConfig({ londonBlock: '0' })],
    ['genesis.config.shanghaiTime', withConfig({ shanghaiTime: -1 })],
    ['genesis.config.blobSchedule.cancun', withConfig({ blobSchedule: { cancun: 3 } })],
    ['genesis.config.blobSchedule.bpo1.max', withConfig({ blobSchedule: { bpo1: { target: 1 } } })],
    ['.nonce', withAccount({ balance: '0x1', nonce: 'x' })],
    ['.nonce', withAccount({ balance: '0x1', nonce: 1 })],
    ['.code', withAccount({ balance: '0', code: '0x123' })],
    ['.storage', withAccount({ balance: '0', storage: [] })],
    ['.storage', withAccount({ balance: '0', storage: { slot: '0x1' } })],
    ['.storage.0x1', withAccount({ balance: '0', storage: { '0x1': `0x${'1'.repeat(65)}` } })],
    ['.balance', withAccount({ balance: 'much' })],
    ['.balance', withAccount({ balance: '9'.repeat(1_000_000) })],
    ['.balance', { ...genesis, alloc: { [`0x${'11'.repeat(20)}`]: {} } }],
  ])('refuses a bad %s by its name', (field, json) => {
    expect(() => parseGethGenesis('test', json)).toThrow(
      expect.objectContaining({ code: 'VALUE_INVALID', message: expect.stringContaining(field) }),
    );
  });
});

describe('commonFromChainSpec', () => {
  test('knows the forks of mainnet', () => {
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
    'has the fork of every block of the conformance chain, with its blob counts',
    () => {
      const read = (name: string) =>
        JSON.parse(readFileSync(join(conformanceDirectory, 'execution-apis', name), 'utf8'));
      const schedule: Record<string, string> = read('forkenv.json');
      const { spec } = parseGethGenesis('hive', read('genesis.json'));
      // By the names of forkenv.json; the chain has a block every ten seconds.
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
        // What @ethereumjs/common calls the merge where a genesis file gives its block.
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
