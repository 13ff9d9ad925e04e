import type { Hex } from '@cairn/block-model';
import { ExecutionTimeoutError, gasBudgetExceeded } from '@cairn/evm';
import { describe, expect, test } from '@jest/globals';
import type { CallResult } from '../call-result.ts';
import { alice, testHeader, testSpec } from '../test-chain.fixture.ts';
import { recordOptions } from '../trace/parity/parse-trace-types.ts';
import { parseTraceOptions, type TraceOptions } from '../trace/trace-options.ts';
import type { CallPool, CallPoolExecuteOptions, CallUse } from './call-pool.ts';
import { type CallServer, openCallServer } from './call-server.ts';
import type { ExecutionJob, ResultOf } from './execution-job.ts';
import { HeavyRoutes } from './heavy-routes.ts';
import { InlineExecutor } from './inline-executor.ts';

const number: Hex = `0x${'c0'.repeat(20)}`;
const loop: Hex = `0x${'c1'.repeat(20)}`;
const caller: Hex = `0x${'c2'.repeat(20)}`;
const recover: Hex = `0x${'c3'.repeat(20)}`;
const accounts = {
  [number]: { code: '0x435f5260205ff3' }, // NUMBER
  [loop]: { code: '0x5b5f56' }, // JUMPDEST, back to it
  // Calls the loop with all gas and returns the success flag.
  [caller]: { code: `0x5f5f5f5f5f73${'c1'.repeat(20)}5af15f5260205ff3` },
  [recover]: { code: '0x5f5f5f5f600161fffffa5f5260205ff3' }, // STATICCALL to ECRECOVER
};
const fromPool: CallResult = { kind: 'success', output: '0xee', gasUsed: 1n };

async function openExecutor() {
  const jobs: ExecutionJob[] = [];
  const pool: CallPool = {
    async execute<Job extends ExecutionJob>(job: Job) {
      jobs.push(job);
      return fromPool as ResultOf<Job>;
    },
    stats: () => ({ running: 0, queued: 0, idle: 1, starting: 0, replaced: 0 }),
    close: async () => undefined,
  };
  const source = {
    moduleUrl: new URL('./memory-source.fixture.mjs', import.meta.url).href,
    exportName: 'createMemorySource',
    options: { header: testHeader, accounts },
  };
  const server = await openCallServer(
    { chains: { test: { spec: testSpec, source } }, gasCapMultiplier: 10, engine: 'compiled' as const },
    50_000,
  );
  return { executor: new InlineExecutor(pool, server), jobs };
}
const job = (to: Hex, more: object = {}) => ({
  chain: 'test',
  blockHash: testHeader.hash,
  call: { from: alice, to, ...more },
});

const overridesOf = (count: number, code: Hex = '0x') =>
  new Map(range(count).map((at): [Hex, { code: Hex }] => [`0x${'0'.repeat(39)}${at}`, { code }]));
const range = (count: number) => Array.from({ length: count }, (_, at) => at);
const trace = {
  kind: 'traceBlock' as const,
  chain: 'test',
  blockHash: testHeader.hash,
  index: 0,
  options: parseTraceOptions({ tracer: 'callTracer' }),
};

test('executes a call with overridden code in the calling thread', async () => {
  const { executor, jobs } = await openExecutor();
  const stateOverrides = new Map([[loop, { code: '0x435f5260205ff3' as const }]]);
  const result = await executor.execute({ ...job(loop), stateOverrides });
  expect(result).toMatchObject({ kind: 'success', output: `0x${testHeader.number.toString(16).padStart(64, '0')}` });
  expect(jobs).toEqual([]);
});

describe('traces of blocks', () => {
  const result = { kind: 'json' as const, json: '{}', gasUsed: 1n };
  /** An executor whose server does as it is asked for each trace. */
  function openTracer(serve: CallServer['serve'], serveNow: CallServer['serveNow'] = () => undefined) {
    const jobs: ExecutionJob[] = [];
    const uses: CallUse[] = [];
    const pool: CallPool = {
      async execute<Job extends ExecutionJob>(given: Job, { onUsed }: CallPoolExecuteOptions = {}) {
        jobs.push(given);
        onUsed?.({ workerMs: 9, isAnswered: true });
        return result as unknown as ResultOf<Job>;
      },
      stats: () => ({ running: 0, queued: 0, idle: 1, starting: 0, replaced: 0 }),
      close: async () => undefined,
    };
    const server: CallServer = {
      serve,
      serveNow,
      resume: () => Promise.reject(new Error('unused')),
      close: async () => undefined,
    };
    let time = 0;
    const executor = new InlineExecutor(pool, server, new HeavyRoutes(() => time));
    const pass = (ms: number) => {
      time += ms;
    };
    const options = { onUsed: (use: CallUse) => uses.push(use) };
    const run = () => executor.execute(trace, options);
    const runNow = () => executor.executeNow(trace, options);
    return { executor, run, runNow, pass, jobs, uses };
  }

  test('run in the calling thread under a deadline, one after the other, and report their time', async () => {
    let running = 0;
    const times: unknown[] = [];
    const { executor, run, jobs, uses } = openTracer(async (_, deadline) => {
      times.push(deadline?.timeoutMs);
      expect(++running).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
      return result;
    });
    // The first traces of a process also compile code.
    for (const index of range(4)) await executor.execute({ ...trace, index: index + 1 });
    await run();
    await Promise.all([run(), run()]);
    // Once it has ended in time, only other programs make it longer.
    expect([jobs, times]).toEqual([[], [40, 40, 40, 40, 4, 40, 40]]);
    expect(uses.map(({ isAnswered, workerMs }) => [isAnswered, workerMs > 0.5])).toEqual(
      range(3).map(() => [true, true]),
    );
  });

  test('in the format of Parity run in the calling thread, except long ones and those of many blocks', async () => {
    const filter = { from: [], to: [], mode: 'union', skip: 0, take: 1 } as const;
    const isInline = async (options: TraceOptions) => {
      const { executor, jobs } = openTracer(() => Promise.resolve(result));
      await executor.execute({ ...trace, options });
      return jobs.length === 0;
    };
    expect(await isInline(recordOptions)).toBe(true);
    expect(await isInline({ ...recordOptions, path: [0] })).toBe(true);
    expect(await isInline({ ...recordOptions, form: 'envelope', stateDiff: true })).toBe(true);
    expect(await isInline({ ...recordOptions, form: 'envelope', vmTrace: true })).toBe(false);
    expect(await isInline({ ...recordOptions, filter })).toBe(false);
  });

  test.each([
    ['exceed their budget', () => Promise.reject(gasBudgetExceeded)],
    ['exceed their time', () => Promise.reject(new ExecutionTimeoutError(4))],
  ])('restart in the pool where they %s, and report the use of the worker only', async (_, serve) => {
    let served = 0;
    const { run, jobs, uses } = openTracer(() => {
      served++;
      return serve();
    });
    expect(await run()).toBe(result);
    expect(await run()).toBe(result);
    expect([served, jobs.length]).toEqual([1, 2]);
    expect(uses).toEqual([9, 9].map((workerMs) => ({ workerMs, isAnswered: true })));
  });

  test('run in the calling thread again where they ended in time before, since other programs took the time', async () => {
    const served: boolean[] = [];
    const inTime = [true, false, true, false, false, true];
    const { run } = openTracer(() => {
      const isInTime = inTime[served.length] === true;
      served.push(isInTime);
      return isInTime ? Promise.resolve(result) : Promise.reject(new ExecutionTimeoutError(4));
    });
    for (let count = 0; count < 8; count++) await run();
    // After the second of two timeouts in sequence, the pool executes the rest.
    expect(served).toEqual([true, false, true, false, false]);
  });

  test('run in the calling thread again 50 ms after a first timeout, which the compilation of new code may have caused', async () => {
    let served = 0;
    const { run, pass, jobs } = openTracer(() => {
      served++;
      return served === 1 ? Promise.reject(new ExecutionTimeoutError(4)) : Promise.resolve(result);
    });
    await run();
    pass(49);
    await run();
    expect([served, jobs.length]).toEqual([1, 2]);
    pass(1);
    await run();
    await run();
    expect([served, jobs.length]).toEqual([3, 2]);
  });

  test('that waited for one that exceeded its time are passed to the pool', async () => {
    let turns = 0;
    const turnsAtTrace: number[] = [];
    const { executor, run, jobs } = openTracer(() => {
      turnsAtTrace.push(turns);
      return Promise.reject(new ExecutionTimeoutError(4));
    });
    const turn = setImmediate(() => turns++);
    const another = executor.execute({ ...trace, index: 1 });
    await Promise.all([run(), run(), run()]);
    // Events are served between a trace that was too long and the next one.
    expect([turnsAtTrace, jobs.length]).toEqual([[0, 1], 4]);
    await another;
    clearImmediate(turn);
  });

  test('run without a promise once they were light, and report their time', async () => {
    const { run, runNow, jobs, uses } = openTracer(
      () => Promise.resolve(result),
      (_, deadline) => {
        expect(deadline).toMatchObject({ timeoutMs: 40 });
        return result as never;
      },
    );
    expect(runNow()).toBe(undefined);
    await run();
    expect(runNow()).toBe(result);
    expect([jobs, uses.map(({ isAnswered }) => isAnswered)]).toEqual([[], [true, true]]);
  });

  test('of whole blocks are left to execute, which runs them one after the other', async () => {
    const { index: _, ...whole } = trace;
    const { executor } = openTracer(
      () => Promise.resolve(result),
      () => result as never,
    );
    await executor.execute(whole);
    expect(executor.executeNow(whole)).toBe(undefined);
  });

  test.each([
    ['exceed their budget', gasBudgetExceeded],
    ['exceed their time', new ExecutionTimeoutError(4)],
  ])('restart in the pool from a run without a promise where they %s', async (_, error) => {
    const { run, runNow, jobs, uses } = openTracer(
      () => Promise.resolve(result),
      () => {
        throw error;
      },
    );
    await run();
    expect(await runNow()).toBe(result);
    expect(runNow()).toBe(undefined);
    expect([jobs.length, uses.at(-1)]).toEqual([1, { workerMs: 9, isAnswered: true }]);
  });

  test('throw their error from a run without a promise, and report their use', async () => {
    const { run, runNow, jobs, uses } = openTracer(
      () => Promise.resolve(result),
      () => {
        throw new Error('a fault');
      },
    );
    await run();
    expect(runNow).toThrow('a fault');
    expect([jobs, uses.at(-1)?.isAnswered]).toEqual([[], false]);
  });

  test('report their use when they fail', async () => {
    const { run, jobs, uses } = openTracer(() => Promise.reject(new Error('a fault')));
    await expect(run()).rejects.toThrow('a fault');
    expect([jobs, uses]).toEqual([[], [{ workerMs: expect.any(Number), isAnswered: false }]]);
  });
});

test('executes a light call in the calling thread, in the environment of its block', async () => {
  const { executor, jobs } = await openExecutor();
  const result = await executor.execute(job(number));
  expect(result).toMatchObject({ kind: 'success', output: `0x${testHeader.number.toString(16).padStart(64, '0')}` });
  expect(jobs).toEqual([]);
});

describe('executeNow', () => {
  test('returns the result of execute without a promise once the block is open', async () => {
    const { executor, jobs } = await openExecutor();
    const light = [job(number), job(alice), job(loop, { gas: 30_000n })];
    expect(executor.executeNow(job(number))).toBe(undefined);
    for (const each of light) {
      const result = await executor.execute(each);
      expect(executor.executeNow(each)).toEqual(result);
    }
    const stateOverrides = new Map([[loop, { code: '0x435f5260205ff3' as const }]]);
    const overridden = { ...job(loop), stateOverrides };
    expect(executor.executeNow(overridden)).toEqual(await executor.execute(overridden));
    expect(jobs).toEqual([]);
  });

  test('restarts a call over the budget in the pool, and leaves the next one to execute', async () => {
    const { executor, jobs } = await openExecutor();
    await executor.execute(job(number));
    for (const to of [loop, caller, recover]) {
      expect(await executor.executeNow(job(to))).toBe(fromPool);
      expect(executor.executeNow(job(to))).toBe(undefined);
    }
    expect(jobs).toHaveLength(3);
  });

  test('throws the errors of execute, and leaves jobs to it that are heavy or come after close', async () => {
    const { executor } = await openExecutor();
    await executor.execute(job(number));
    const refused = job(number, { gas: 5n });
    const error = await executor.execute(refused).catch((thrown: unknown) => thrown);
    expect(() => executor.executeNow(refused)).toThrow((error as Error).message);
    expect(executor.executeNow(job(number, { authorizationList: [] }))).toBe(undefined);
    expect(executor.executeNow({ ...job(number), chain: 'absent' })).toBe(undefined);
    await executor.close();
    expect(executor.executeNow(job(number))).toBe(undefined);
  });
});

test('restarts a call over the budget in the pool, also from a nested frame, and sends the next call there directly', async () => {
  const { executor, jobs } = await openExecutor();
  for (const to of [loop, caller, recover, loop, caller]) expect(await executor.execute(job(to))).toBe(fromPool);
  expect(jobs.length).toBe(5);
  expect(await executor.execute(job(number))).not.toBe(fromPool);
});

test('sends a call to the pool whose precompile is expensive by its input', async () => {
  const { executor, jobs } = await openExecutor();
  const data: Hex = `0x00ffffff${'00'.repeat(208)}01`; // 16 million rounds of BLAKE2F
  expect(await executor.execute(job(`0x${'09'.padStart(40, '0')}`, { data }))).toBe(fromPool);
  expect(jobs.length).toBe(1);
});

test('returns a halt of a call that runs out of gas within the budget', async () => {
  const { executor, jobs } = await openExecutor();
  expect(await executor.execute(job(loop, { gas: 30_000n }))).toMatchObject({ kind: 'halt', reason: 'out of gas' });
  expect(jobs).toEqual([]);
});

test.each([
  ['overrides of the block', { ...job(number), blockOverrides: {} }],
  ['overrides of many accounts', { ...job(number), stateOverrides: overridesOf(5) }],
  ['long overrides', { ...job(number), stateOverrides: overridesOf(2, `0x${'00'.repeat(20_000)}`) }],
  ['a given block', { ...trace, raw: new Uint8Array(1) }],
  ['a trace of memory', { ...trace, options: parseTraceOptions({ enableMemory: true }) }],
  ['another kind of job', { ...job(number), kind: 'estimateGas' as const }],
  ['long input', job(number, { data: `0x${'00'.repeat(20_000)}` })],
  ['authorizations', job(number, { authorizationList: [] })],
])('sends a job with %s to the pool', async (_, heavy) => {
  const { executor, jobs } = await openExecutor();
  await executor.execute(heavy as ExecutionJob);
  expect(jobs).toEqual([heavy]);
});

test('throws the same errors as the pool, and after close sends every job to the pool', async () => {
  const { executor, jobs } = await openExecutor();
  await expect(executor.execute(job(number, { gas: 5n }))).rejects.toMatchObject({ code: 'CALL_GAS_TOO_LOW' });
  await executor.close();
  await executor.execute(job(number));
  expect(jobs.length).toBe(1);
});
