import { CairnError } from '@cairn/errors';
import type { CallResult } from '@cairn/evm-executor';
import { expect, test } from '@jest/globals';
import { cachedCall } from './call-cache.ts';

const block = { network: 'test', blockHash: '0x01' };
const success = (output: `0x${string}`): CallResult => ({ kind: 'success', output, gasUsed: 1n });

test('cachedCall executes a call once per block, network and set of fields', async () => {
  let executions = 0;
  const ask = (from: typeof block, call: object) =>
    cachedCall({ ...from, call }, async () => success(`0x0${++executions}`));
  const call = { to: '0xaa', gas: 5n };
  expect([await ask(block, call), await ask(block, { ...call })]).toEqual([success('0x01'), success('0x01')]);
  expect(await ask({ ...block, blockHash: '0x02' }, call)).toEqual(success('0x02'));
  expect(await ask({ ...block, network: 'other' }, call)).toEqual(success('0x03'));
  expect(await ask(block, { ...call, gas: 6n })).toEqual(success('0x04'));
});

test('cachedCall caches calls of limited keys separately', async () => {
  const call = { to: '0xee' } as const;
  const ask = (contracts: readonly string[] | undefined, output: `0x${string}`) =>
    cachedCall({ ...block, call, contracts }, async () => success(output));
  expect(await ask(undefined, '0x01')).toEqual(success('0x01'));
  expect(await ask(['0xee'], '0x02')).toEqual(success('0x02'));
  expect(await ask(['0xee'], '0x03')).toEqual(success('0x02'));
  expect(await ask(['0xee', '0xff'], '0x04')).toEqual(success('0x04'));
});

test('cachedCall does not cache failures', async () => {
  const call = { to: '0xbb' } as const;
  await expect(cachedCall({ ...block, call }, () => Promise.reject(new Error('no time')))).rejects.toThrow('no time');
  expect(await cachedCall({ ...block, call }, async () => success('0x01'))).toEqual(success('0x01'));
});

test('cachedCall shares a running call, and executes it again if the first client disconnects', async () => {
  const call = { to: '0xcc' } as const;
  let executions = 0;
  const ends: ((end: CallResult | Error) => void)[] = [];
  const ask = () =>
    cachedCall({ ...block, call }, () => {
      executions++;
      return new Promise((resolve, reject) => {
        ends.push((end) => (end instanceof Error ? reject(end) : resolve(end)));
      });
    });
  const [first, ...others] = [ask(), ask(), ask()];
  expect(executions).toBe(1);
  ends[0]?.(new CairnError('EXECUTION_ABORTED', 'gone'));
  await expect(first).rejects.toMatchObject({ code: 'EXECUTION_ABORTED' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(executions).toBe(2);
  ends[1]?.(success('0x01'));
  expect(await Promise.all(others)).toEqual([success('0x01'), success('0x01')]);
  expect(executions).toBe(2);
});

test('cachedCall passes a timeout to all waiting requests', async () => {
  const call = { to: '0xdd' } as const;
  let executions = 0;
  const ask = () =>
    cachedCall({ ...block, call }, async () => {
      executions++;
      await new Promise((resolve) => setImmediate(resolve));
      throw new CairnError('EXECUTION_TIMEOUT', 'too long');
    });
  for (const request of [ask(), ask()]) await expect(request).rejects.toMatchObject({ code: 'EXECUTION_TIMEOUT' });
  expect(executions).toBe(1);
});

test('cachedCall returns light calls without a promise, and caches them when they are repeated', () => {
  const call = { to: '0xab' } as const;
  let executions = 0;
  const unused = () => Promise.reject(new Error('A light call is not executed twice.'));
  const ask = (gas: bigint) =>
    cachedCall({ ...block, call: { ...call, gas } }, unused, () => success(`0x0${++executions}`));
  expect([ask(1n), ask(1n), ask(1n)]).toEqual([success('0x01'), success('0x02'), success('0x02')]);
  expect(ask(2n)).toEqual(success('0x03'));
});

test('cachedCall shares a light call that restarts in a worker, and executes what is not light', async () => {
  let executions = 0;
  const call = { to: '0xac' } as const;
  const ask = () =>
    cachedCall(
      { ...block, call },
      () => Promise.reject(new Error('unused')),
      () => {
        executions++;
        return new Promise((resolve) => setImmediate(() => resolve(success('0x01'))));
      },
    );
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([success('0x01'), success('0x01'), success('0x01')]);
  expect(await ask()).toEqual(success('0x01'));
  expect(executions).toBe(1);
  const heavy = cachedCall(
    { ...block, call: { to: '0xad' } },
    async () => success('0x05'),
    () => undefined,
  );
  expect(await heavy).toEqual(success('0x05'));
});
