import { describe, expect, test } from '@jest/globals';
import { forkAt, forkSchedule, parseGethGenesis } from './index.ts';

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
  test('parseGethGenesis separates rules from accounts, and the rules are JSON-serializable', () => {
    const { spec, alloc } = parseGethGenesis('test', genesis);
    expect(spec).toMatchObject({ name: 'test', chainId: '99' });
    expect(Object.keys(alloc)).toHaveLength(1);
    const schedule = forkSchedule(JSON.parse(JSON.stringify(spec)));
    expect(forkAt(schedule, { number: 5n, timestamp: 100n })).toBe('shanghai');
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
  ])('parseGethGenesis names the field of a wrong %s', (field, json) => {
    expect(() => parseGethGenesis('test', json)).toThrow(
      expect.objectContaining({ code: 'VALUE_INVALID', message: expect.stringContaining(field) }),
    );
  });
});
