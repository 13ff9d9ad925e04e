import type { Hex } from '@cairn/block-model';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { CallUse } from './call-pool.ts';
import type { CallPoolOptions } from './call-pool-options.ts';
import type { CallJob } from './execution-job.ts';
import { ThreadPool } from './thread-pool.ts';

const workerUrl = new URL('./stub-worker.fixture.mjs', import.meta.url);
/** Jobs by behavior of the stub: see stub-worker.fixture.mjs. */
const behaviors = { succeed: '0x00', wait: '0x01', exit: '0x02', ignore: '0x03' } as const satisfies Record<
  string,
  Hex
>;
/** Time limit of jobs whose test is not about time: the machine may be busy. */
const patient = { timeoutMs: 60_000 };

async function open(options: Partial<CallPoolOptions> = {}): Promise<ThreadPool> {
  const pool = new ThreadPool({ chains: {}, workers: 2, workerUrl, ...options });
  await pool.started();
  return pool;
}

/** Waits until the reserved and the spare thread are ready too. */
async function untilReady(pool: ThreadPool): Promise<void> {
  while (pool.stats().starting > 0) await new Promise((resolve) => setTimeout(resolve, 1));
}

function job(name: keyof typeof behaviors): CallJob {
  return { chain: 'stub', blockHash: `0x${'00'.repeat(32)}`, call: { data: behaviors[name] } };
}

describe('threads of a pool', () => {
  let pool: ThreadPool;
  afterEach(() => pool.close());

  test('are not all used by one lane: a lane without a running job is served immediately', async () => {
    pool = await open({ timeoutMs: 60_000, queueTimeoutMs: 60_000 });
    await untilReady(pool);
    const controller = new AbortController();
    const greedy = Array.from({ length: 6 }, () =>
      pool.execute(job('wait'), { lane: 'greedy', signal: controller.signal }).catch((error) => error.code),
    );
    expect(pool.stats()).toMatchObject({ running: 2, queued: 4 });
    for (let call = 0; call < 5; call++) {
      const modest = pool.execute(job('succeed'), { lane: 'modest', ...patient });
      expect(pool.stats()).toMatchObject({ running: 3, queued: 4 });
      expect(await modest).toMatchObject({ kind: 'success' });
    }
    controller.abort();
    expect(await Promise.all(greedy)).toEqual(Array(6).fill('EXECUTION_ABORTED'));
  });

  test('killed by one lane do not hold up other lanes, and a spare is ready from then on', async () => {
    pool = await open();
    await untilReady(pool);
    expect(pool.stats().idle).toBe(3);
    const lane = 'greedy';
    const exiting = Array.from({ length: 4 }, () => pool.execute(job('exit'), { lane, ...patient }).catch(() => {}));
    while (pool.stats().replaced < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    const { starting } = pool.stats();
    const modest = pool.execute(job('succeed'), { lane: 'modest', ...patient });
    // The call waits neither for the start of a thread nor for the end of another call.
    expect(starting).toBeGreaterThan(0);
    expect(pool.stats().starting).toBe(starting);
    expect(await modest).toMatchObject({ kind: 'success' });
    await Promise.all(exiting);
    expect(pool.stats().replaced).toBe(4);
    while (pool.stats().idle < 4) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(pool.stats()).toMatchObject({ running: 0, starting: 0 });
  });

  test('are killed and replaced if a job ignores its time limit', async () => {
    pool = await open();
    await expect(pool.execute(job('ignore'), { timeoutMs: 20 })).rejects.toMatchObject({ code: 'EXECUTION_TIMEOUT' });
    expect(pool.stats()).toMatchObject({ running: 0, replaced: 1 });
    expect(await pool.execute(job('succeed'), patient)).toMatchObject({ kind: 'success' });
  });

  test('are killed and replaced if a job ignores its abort', async () => {
    pool = await open();
    const controller = new AbortController();
    const uses: CallUse[] = [];
    const onUsed = (use: CallUse) => uses.push(use);
    const ignoring = pool.execute(job('ignore'), { ...patient, signal: controller.signal, onUsed });
    controller.abort();
    await expect(ignoring).rejects.toMatchObject({ code: 'EXECUTION_ABORTED' });
    while (uses.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(uses).toEqual([{ workerMs: expect.any(Number), isAnswered: false }]);
    expect(pool.stats()).toMatchObject({ running: 0, replaced: 1 });
  });
});

describe('the queue of a pool', () => {
  let pool: ThreadPool;
  afterEach(() => pool.close());

  test('refuses jobs beyond its limit with retryAfterMs, and keeps room for other lanes', async () => {
    pool = await open({ workers: 1, timeoutMs: 200, queueMax: 4 });
    await untilReady(pool);
    const inLane = (lane: string, name: keyof typeof behaviors) => pool.execute(job(name), { lane });
    const waitingForDeadline = [inLane('greedy', 'wait'), inLane('second', 'wait')];
    const greedy = Array.from({ length: 5 }, () => inLane('greedy', 'succeed'));
    const modest = inLane('modest', 'succeed');
    const outcomes = await Promise.allSettled([...waitingForDeadline, ...greedy, modest]);
    const codesOf = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'ok'));
    const [timeout, full] = ['EXECUTION_TIMEOUT', 'EXECUTION_QUEUE_FULL'];
    expect(codesOf).toEqual([timeout, timeout, 'ok', 'ok', 'ok', full, full, 'ok']);
    await expect(greedy[4]).rejects.toMatchObject({ details: { queueMax: 4, retryAfterMs: expect.any(Number) } });
  });

  test('limits the time in the queue', async () => {
    pool = await open({ workers: 1, timeoutMs: 200, queueTimeoutMs: 50 });
    const waitingForDeadline = pool.execute(job('wait'));
    await expect(pool.execute(job('succeed'))).rejects.toMatchObject({ code: 'EXECUTION_QUEUE_TIMEOUT' });
    await expect(waitingForDeadline).rejects.toMatchObject({ code: 'EXECUTION_TIMEOUT' });
  });

  test('removes a queued call when its signal aborts', async () => {
    pool = await open({ workers: 1, timeoutMs: 100 });
    const uses: CallUse[] = [];
    const onUsed = (use: CallUse) => uses.push(use);
    const waitingForDeadline = pool.execute(job('wait'), { onUsed });
    const controller = new AbortController();
    const waiting = pool.execute(job('succeed'), { signal: controller.signal, onUsed });
    expect(pool.stats()).toMatchObject({ running: 1, queued: 1 });
    controller.abort();
    expect(pool.stats()).toMatchObject({ running: 1, queued: 0 });
    await expect(waiting).rejects.toMatchObject({ code: 'EXECUTION_ABORTED' });
    await expect(waitingForDeadline).rejects.toMatchObject({ code: 'EXECUTION_TIMEOUT' });
    await pool.execute(job('succeed'), { ...patient, onUsed });
    await expect(pool.execute(job('succeed'), { signal: controller.signal, onUsed })).rejects.toThrow();
    // In order: the queued call, the call that reached its time limit, the successful call, and the call with an aborted signal.
    const workerMs = expect.any(Number);
    expect(uses).toEqual([
      { workerMs: 0, isAnswered: false },
      { workerMs, isAnswered: false },
      { workerMs, isAnswered: true },
      { workerMs: 0, isAnswered: false },
    ]);
  });

  test('is emptied by close, which refuses new calls', async () => {
    pool = await open({ workers: 1 });
    const calls = Array.from({ length: 5 }, () => pool.execute(job('succeed')));
    const closed = pool.close();
    await expect(pool.execute(job('succeed'))).rejects.toMatchObject({ code: 'EXECUTION_CLOSED' });
    await closed;
    expect(await Promise.all(calls)).toHaveLength(5);
  });
});
