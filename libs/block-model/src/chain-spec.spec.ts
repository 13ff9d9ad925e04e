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
  });

  (hasConformanceCases ? test : test.skip)('keeps the blob counts of forks that change nothing else', () => {
    const json = JSON.parse(readFileSync(join(conformanceDirectory, 'execution-apis/genesis.json'), 'utf8'));
    const { spec } = parseGethGenesis('hive', json);
    const counts = [510n, 540n].map((timestamp) => {
      const common = commonFromChainSpec(spec, { at: { number: 50n, timestamp } });
      return [
        common.hardfork(),
        common.param('target'),
        common.param('max'),
        common.param('blobGasPriceUpdateFraction'),
      ];
    });
    expect(counts).toEqual([
      ['bpo1', 10n, 15n, 8_346_193n],
      ['bpo2', 14n, 21n, 11_684_671n],
    ]);
  });
});
