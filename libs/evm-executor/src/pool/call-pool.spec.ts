import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from '@cairn/block-model';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { codes, testHeader, testSpec } from '../test-chain.fixture.ts';
import { parseTraceOptions } from '../trace/trace-options.ts';
import type { CallPool, CallUse } from './call-pool.ts';
import type { CallPoolOptions } from './call-pool-options.ts';
import { createCallPool } from './create-call-pool.ts';
import type { CallJob, ExecutionJob } from './execution-job.ts';

// Worker threads run the built package; `nx test` builds it first.
const workerUrl = new URL('../../dist/pool/worker.js', import.meta.url);
const moduleUrl = new URL('./memory-source.fixture.mjs', import.meta.url).href;

const addressOf = (name: keyof typeof codes): Hex =>
  `0x${(Object.keys(codes).indexOf(name) + 1).toString(16).padStart(40, 'f')}`;
const accounts = Object.fromEntries(
  (Object.keys(codes) as (keyof typeof codes)[]).map((name) => [addressOf(name), { code: codes[name] }]),
);

function open(options: Partial<CallPoolOptions> = {}, sourceOptions: object = {}): Promise<CallPool> {
  const source = {
    moduleUrl,
    exportName: 'createMemorySource',
    options: { header: testHeader, accounts, ...sourceOptions },
  };
  const chains = { test: { spec: testSpec, source } };
  // A gas cap so high that an endless loop reaches the time limit first on every engine.
  return createCallPool({ chains, workers: 2, gasCapMultiplier: 100_000, workerUrl, ...options });
}

function job(name: keyof typeof codes, call: CallJob['call'] = {}): CallJob {
  return { chain: 'test', blockHash: testHeader.hash, call: { to: addressOf(name), ...call } };
}

test('the worker is built', () => {
  expect(existsSync(workerUrl)).toBe(true);
});

const threads = '/proc/self/task';
/** Nice value of a thread of this process: see proc(5). Zero for a thread that ends meanwhile. */
function niceOf(thread: string): number {
  try {
    return Number(
      readFileSync(join(threads, thread, 'stat'), 'utf8')
        .split(') ')[1]
        ?.split(' ')[16],
    );
  } catch {
    return 0;
  }
}

(existsSync(threads) ? test : test.skip)('workers have a lower priority than the calling thread', async () => {
  const pool = await open({ workers: 2 });
  const own = niceOf(String(process.pid));
  const lower = readdirSync(threads).filter((thread) => niceOf(thread) > own);
  await pool.close();
  expect(lower.length).toBeGreaterThanOrEqual(2);
});

/** Time limit of calls whose test is not about time: the machine may be busy. */
const patient = { timeoutMs: 60_000 };

describe('a pool', () => {
  let pool: CallPool;
  beforeAll(async () => {
    pool = await open({ timeoutMs: 400, memoryMibMax: 48 });
  });
  afterAll(() => pool.close());

  test('isolates 200 concurrent calls', async () => {
    const senders = Array.from({ length: 200 }, (_, index): Hex => `0x${(index + 1).toString(16).padStart(40, '0')}`);
    const results = await Promise.all(senders.map((from) => pool.execute(job('origin', { from }), patient)));
    expect(results.map((result) => result.kind === 'success' && result.output)).toEqual(
      senders.map((from) => `0x${from.slice(2).padStart(64, '0')}`),
    );
  });

  test('executes other calls during an endless loop, and ends the loop at its time limit', async () => {
    const controller = new AbortController();
    const spinning = pool.execute(job('spin'), { signal: controller.signal, timeoutMs: 60_000 });
    const settled = spinning.catch((error) => error.code);
    for (let other = 0; other < 3; other++)
      expect(await pool.execute(job('origin'), patient)).toMatchObject({ kind: 'success' });
    expect(pool.stats().running).toBe(1);
    controller.abort(new Error('gone'));
    expect(await settled).toBe('EXECUTION_ABORTED');
    await expect(pool.execute(job('spin'))).rejects.toMatchObject({
      code: 'EXECUTION_TIMEOUT',
      details: { timeoutMs: 400 },
    });
  });

  test('ends a call that exceeds the memory limit, and executes the next one', async () => {
    await expect(pool.execute(job('hoard'), patient)).rejects.toMatchObject({
      code: 'EXECUTION_MEMORY_EXCEEDED',
    });
    expect(await pool.execute(job('origin'), patient)).toMatchObject({ kind: 'success' });
  });

  test('completes a recursive call', async () => {
    expect(await pool.execute(job('recurse'), patient)).toMatchObject({ kind: 'success', output: '0x' });
  });

  test('discards the writes of a call', async () => {
    const zero = `0x${'00'.repeat(32)}`;
    for (let round = 0; round < 3; round++) {
      expect(await pool.execute(job('count'), patient)).toMatchObject({ kind: 'success', output: zero });
    }
  });

  test('propagates errors with code, hint and details', async () => {
    await expect(pool.execute(job('origin', { gas: 20_999n }))).rejects.toMatchObject({
      code: 'CALL_GAS_TOO_LOW',
      message: 'err: intrinsic gas too low: have 20999, want 21000 (supplied gas 20999)',
      details: { have: '20999', want: '21000' },
    });
  });

  test('survives a call that structured clone refuses', async () => {
    const call = { to: addressOf('origin'), data: Symbol('no data') as never };
    for (let round = 0; round < 3; round++) {
      await expect(pool.execute(job('origin', call))).rejects.toMatchObject({ code: 'EXECUTION_FAILED' });
    }
    expect(pool.stats()).toMatchObject({ running: 0, queued: 0 });
  });

  test('reports a block without state', async () => {
    const blockHash: Hex = `0x${'12'.repeat(32)}`;
    await expect(pool.execute({ ...job('origin'), blockHash })).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      details: { chain: 'test', blockHash },
    });
  });

  test('rejects a running call when its signal aborts', async () => {
    const controller = new AbortController();
    const spinning = pool.execute(job('spin'), { signal: controller.signal, timeoutMs: 60_000 });
    controller.abort(new Error('gone'));
    await expect(spinning).rejects.toMatchObject({ code: 'EXECUTION_ABORTED' });
    await expect(pool.execute(job('origin'), { signal: controller.signal })).rejects.toMatchObject({
      code: 'EXECUTION_ABORTED',
    });
  });
});

describe('workers of a pool', () => {
  let pool: CallPool;
  afterEach(() => pool.close());

  test('survive aborted calls', async () => {
    pool = await open({ timeoutMs: 60_000 });
    for (let round = 0; round < 3; round++) {
      const controller = new AbortController();
      const uses: CallUse[] = [];
      const onUsed = (use: CallUse) => uses.push(use);
      const spinning = pool.execute(job('spin'), { signal: controller.signal, onUsed });
      await new Promise((resolve) => setTimeout(resolve, 20));
      controller.abort();
      await expect(spinning).rejects.toMatchObject({ code: 'EXECUTION_ABORTED' });
      expect(await pool.execute(job('origin'), patient)).toMatchObject({ kind: 'success' });
      while (pool.stats().running > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(uses).toEqual([{ workerMs: expect.any(Number), isAnswered: false }]);
      expect(uses[0]?.workerMs).toBeGreaterThan(0);
    }
    // On a busy machine one of the three may be killed: the grace period is 1 s of wall-clock time.
    expect(pool.stats().replaced).toBeLessThan(2);
  });

  test('survive jobs of any kind that exceed their time limit', async () => {
    pool = await open({ timeoutMs: 200 });
    const { call, ...place } = job('spin', { from: addressOf('origin') });
    const stateOverrides = new Map([[addressOf('origin'), { balance: 10n ** 30n }]]);
    const message = { ...place, call, stateOverrides };
    const options = parseTraceOptions({ tracer: 'callTracer' });
    for (const each of [
      message,
      { kind: 'createAccessList', ...message, tip: 0n },
      { kind: 'traceCall', ...message, options },
    ] as const) {
      await expect(pool.execute<ExecutionJob>(each)).rejects.toMatchObject({ code: 'EXECUTION_TIMEOUT' });
    }
    // On a busy machine one of the three may be killed: the grace period is 500 ms of wall-clock time.
    expect(pool.stats().replaced).toBeLessThan(2);
  });
});

test('createCallPool reports a chain that does not open', async () => {
  await expect(open({}, { failure: 'the disk is full' })).rejects.toMatchObject({
    code: 'EXECUTION_FAILED',
    message: 'The call could not be executed: chain test does not open: the disk is full.',
  });
});

test('close lets starting workers close their chains, since terminating them would crash the process', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pool-'));
  const closings = join(directory, 'closings');
  const pool = await open({ workers: 1 }, { closings });
  await pool.close();
  expect(readFileSync(closings, 'utf8')).toBe('closed\n'.repeat(2));
  rmSync(directory, { recursive: true });
});
