import type { CallResult } from '@cairn/evm-executor';
import { expect, test } from '@jest/globals';
import { cachedCall } from './call-cache.ts';

const place = { network: 'test', blockHash: '0x01' };
const success = (output: `0x${string}`): CallResult => ({ kind: 'success', output, gasUsed: 1n });

test('a call is executed once on a block, and again on another or with another field', async () => {
  let executions = 0;
  const ask = (from: typeof place, call: object) =>
    cachedCall({ ...from, call }, async () => success(`0x0${++executions}`));
  const call = { to: '0xaa', gas: 5n };
  expect([await ask(place, call), await ask(place, { ...call })]).toEqual([success('0x01'), success('0x01')]);
  expect(await ask({ ...place, blockHash: '0x02' }, call)).toEqual(success('0x02'));
  expect(await ask({ ...place, network: 'other' }, call)).toEqual(success('0x03'));
  expect(await ask(place, { ...call, gas: 6n })).toEqual(success('0x04'));
});

test('a failure is not remembered', async () => {
  const call = { to: '0xbb' } as const;
  await expect(cachedCall({ ...place, call }, () => Promise.reject(new Error('no time')))).rejects.toThrow('no time');
  expect(await cachedCall({ ...place, call }, async () => success('0x01'))).toEqual(success('0x01'));
});
