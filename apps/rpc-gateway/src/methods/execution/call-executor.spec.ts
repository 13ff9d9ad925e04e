import type { CallPool, CallPoolExecuteOptions } from '@cairn/evm-executor/pool';
import { expect, test } from '@jest/globals';
import type { RequestContext } from '../../request-context.ts';
import { CallExecutor } from './call-executor.ts';

const job = { chain: 'test', blockHash: '0x01', call: {} } as const;

/** A pool whose jobs use 2 ms of a worker and 21,000 gas, or fail. */
function poolThat({ fails }: { readonly fails: boolean }) {
  const calls: { job: unknown; lane: string | undefined }[] = [];
  const pool = {
    async execute(given: unknown, options: CallPoolExecuteOptions) {
      calls.push({ job: given, lane: options.lane });
      options.onUsed?.({ workerMs: 2, isAnswered: !fails });
      if (fails) throw new Error('no result');
      return { gasUsed: 21_000n };
    },
  };
  return { calls, executor: new CallExecutor(pool as unknown as CallPool, { timeoutMs: 5000 }) };
}

function contextOf(policy: object = {}) {
  const charges: unknown[] = [];
  const meter = {
    addGas: (...charge: unknown[]) => charges.push(['gas', ...charge]),
    addWorkerTime: (...charge: unknown[]) => charges.push(['worker', ...charge]),
    holdWorkerTime: async (ms: number) => {
      charges.push(['hold', ms]);
      return () => charges.push(['release']);
    },
  };
  const principal = { account: { id: 'acc' }, key: { policy } };
  return { charges, context: { principal, meter } as unknown as RequestContext };
}

test('run charges the gas of a result, and worker time for a failure', async () => {
  const success = contextOf();
  await poolThat({ fails: false }).executor.run(success.context, 'eth_call', job);
  expect(success.charges).toEqual([['gas', 'eth_call', 21_000n]]);
  const failure = contextOf();
  await expect(poolThat({ fails: true }).executor.run(failure.context, 'eth_call', job)).rejects.toThrow('no result');
  expect(failure.charges).toEqual([['worker', 'eth_call', 2]]);
});

test('runByTime reserves the time limit, then charges the worker time', async () => {
  const { context, charges } = contextOf();
  await poolThat({ fails: false }).executor.runByTime(context, 'debug_traceCall', job, 100);
  expect(charges).toEqual([
    ['hold', 100],
    ['release'],
    ['worker', 'debug_traceCall', 2],
    ['gas', 'debug_traceCall', 21_000n, 0],
  ]);
});

test('run passes the lane of the account and the contracts of the key to the pool', async () => {
  const { executor, calls } = poolThat({ fails: false });
  await executor.run(contextOf({ contracts: ['0xc0'] }).context, 'eth_call', job);
  await executor.run(contextOf().context, 'eth_call', job);
  expect(calls).toEqual([
    { job: { ...job, contracts: ['0xc0'] }, lane: 'acc' },
    { job, lane: 'acc' },
  ]);
});
