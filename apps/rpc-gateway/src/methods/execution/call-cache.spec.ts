import { CairnError } from '@cairn/errors';
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

test('a call that is limited to contracts has an entry of its own', async () => {
  const call = { to: '0xee' } as const;
  const ask = (contracts: readonly string[] | undefined, output: `0x${string}`) =>
    cachedCall({ ...place, call, contracts }, async () => success(output));
  expect(await ask(undefined, '0x01')).toEqual(success('0x01'));
  expect(await ask(['0xee'], '0x02')).toEqual(success('0x02'));
  expect(await ask(['0xee'], '0x03')).toEqual(success('0x02'));
  expect(await ask(['0xee', '0xff'], '0x04')).toEqual(success('0x04'));
});

test('a failure is not remembered', async () => {
  const call = { to: '0xbb' } as const;
  await expect(cachedCall({ ...place, call }, () => Promise.reject(new Error('no time')))).rejects.toThrow('no time');
  expect(await cachedCall({ ...place, call }, async () => success('0x01'))).toEqual(success('0x01'));
});

test('who asks while a call runs waits for it, and begins it anew when whoever began it has gone away', async () => {
  const call = { to: '0xcc' } as const;
  let executions = 0;
  const ends: ((end: CallResult | Error) => void)[] = [];
  const ask = () =>
    cachedCall({ ...place, call }, () => {
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

test('what ends a call for want of time ends it for all who wait', async () => {
  const call = { to: '0xdd' } as const;
  let executions = 0;
  const ask = () =>
    cachedCall({ ...place, call }, async () => {
      executions++;
      await new Promise((resolve) => setImmediate(resolve));
      throw new CairnError('EXECUTION_TIMEOUT', 'too long');
    });
  for (const asked of [ask(), ask()]) await expect(asked).rejects.toMatchObject({ code: 'EXECUTION_TIMEOUT' });
  expect(executions).toBe(1);
});
