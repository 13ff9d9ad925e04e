import { type Header, parseGethGenesis } from '@cairn/block-model';
import { describe, expect, test } from '@jest/globals';
import type { Chain } from './chain.ts';
import { baseFeeAfter, pendingFields } from './pending-block.ts';

const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };
const genesis = {
  config: {
    chainId: 7,
    ...Object.fromEntries(
      [
        'homestead',
        'eip150',
        'eip155',
        'eip158',
        'byzantium',
        'constantinople',
        'petersburg',
        'istanbul',
        'berlin',
      ].map((fork) => [`${fork}Block`, 0]),
    ),
    londonBlock: 5,
    mergeNetsplitBlock: 5,
    terminalTotalDifficulty: 0,
    shanghaiTime: 1000,
    cancunTime: 1000,
    pragueTime: 1000,
    blobSchedule: { cancun: blobs, prague: blobs },
  },
  nonce: '0x0',
  timestamp: '0x0',
  extraData: '0x',
  difficulty: '0x0',
  gasLimit: '0x1c9c380',
  alloc: {},
};
const chain = { reader: { spec: parseGethGenesis('test', genesis).spec } } as unknown as Chain;
const head = (fields: Partial<Header>) =>
  ({ hash: '0x01', number: 9n, timestamp: 500n, gasUsed: 0n, gasLimit: 30_000_000n, ...fields }) as Header;

describe('pendingFields', () => {
  test('follows the head at the current time', () => {
    const fields = pendingFields(chain, head({ baseFeePerGas: 800n, gasUsed: 15_000_000n }), 700n);
    expect(fields).toMatchObject({
      number: 10n,
      timestamp: 700n,
      parentHash: '0x01',
      gasUsed: 0n,
      baseFeePerGas: 800n,
    });
    expect(Object.keys(fields)).not.toContain('excessBlobGas');
  });

  test('sets the time to one second after a head that is ahead of the clock', () => {
    expect(pendingFields(chain, head({ baseFeePerGas: 8n }), 500n).timestamp).toBe(501n);
  });

  test('applies the fork of the pending block, not of the head', () => {
    expect(pendingFields(chain, head({ baseFeePerGas: 8n }), 1000n)).toMatchObject({
      blobGasUsed: 0n,
      excessBlobGas: 0n,
    });
  });

  // The limit moves towards 60 million gas by a 1024th of the parent's limit, less one (geth, core.CalcGasLimit).
  test.each([
    [30_000_000n, 30_029_295n],
    [59_999_999n, 60_000_000n],
    [60_000_000n, 60_000_000n],
    [60_000_001n, 60_000_000n],
    [200_000_000n, 199_804_689n],
  ])('sets the gas limit after a parent with %s to %s', (parent, limit) => {
    expect(pendingFields(chain, head({ gasLimit: parent, baseFeePerGas: 8n }), 700n).gasLimit).toBe(limit);
  });

  test('doubles the gas limit and sets 1 gwei in the first block with a base fee', () => {
    expect(pendingFields(chain, head({ number: 4n, gasLimit: 20_000_000n }), 700n)).toMatchObject({
      baseFeePerGas: 1_000_000_000n,
      gasLimit: 40_039_061n,
    });
  });
});

test.each([
  [3n, undefined],
  [4n, 1_000_000_000n],
])('baseFeeAfter block %s without a base fee returns %s', (number, fee) => {
  expect(baseFeeAfter(chain, head({ number }))).toBe(fee);
});
