import type { Hex } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import type { CallResult } from '../call-result.ts';
import { alice, testHeader, testSpec } from '../test-chain.fixture.ts';
import type { CallPool } from './call-pool.ts';
import { openCallServer } from './call-server.ts';
import type { ExecutionJob, ResultOf } from './execution-job.ts';
import { InlineExecutor } from './inline-executor.ts';

const number: Hex = `0x${'c0'.repeat(20)}`;
const loop: Hex = `0x${'c1'.repeat(20)}`;
const caller: Hex = `0x${'c2'.repeat(20)}`;
const recover: Hex = `0x${'c3'.repeat(20)}`;
const accounts = {
  [number]: { code: '0x435f5260205ff3' }, // NUMBER
  [loop]: { code: '0x5b5f56' }, // JUMPDEST, back to it
  // Calls the loop with all gas, and returns whether that succeeded.
  [caller]: { code: `0x5f5f5f5f5f73${'c1'.repeat(20)}5af15f5260205ff3` },
  [recover]: { code: '0x5f5f5f5f600161fffffa5f5260205ff3' }, // STATICCALL to ECRECOVER
};
const fromPool: CallResult = { kind: 'success', output: '0xee', gasUsed: 1n };

async function openLane() {
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
  return { lane: new InlineExecutor(pool, server), jobs };
}
const job = (to: Hex, more: object = {}) => ({
  chain: 'test',
  blockHash: testHeader.hash,
  call: { from: alice, to, ...more },
});

test('a light call runs where it is asked for, in the environment of its block', async () => {
  const { lane, jobs } = await openLane();
  const result = await lane.execute(job(number));
  expect(result).toMatchObject({ kind: 'success', output: `0x${testHeader.number.toString(16).padStart(64, '0')}` });
  expect(jobs).toEqual([]);
});

test('what exceeds the budget begins anew in the pool, also from within a frame, and the next call goes there at once', async () => {
  const { lane, jobs } = await openLane();
  for (const to of [loop, caller, recover, loop, caller]) expect(await lane.execute(job(to))).toBe(fromPool);
  expect(jobs.length).toBe(5);
  expect(await lane.execute(job(number))).not.toBe(fromPool);
});

test('a precompile whose input says how long it takes is for the pool', async () => {
  const { lane, jobs } = await openLane();
  const data: Hex = `0x00ffffff${'00'.repeat(208)}01`; // 16 million rounds of BLAKE2F
  expect(await lane.execute(job(`0x${'09'.padStart(40, '0')}`, { data }))).toBe(fromPool);
  expect(jobs.length).toBe(1);
});

test('a call that runs out of gas within the budget has ended, and is told so', async () => {
  const { lane, jobs } = await openLane();
  expect(await lane.execute(job(loop, { gas: 30_000n }))).toMatchObject({ kind: 'halt', reason: 'out of gas' });
  expect(jobs).toEqual([]);
});

test.each([
  ['overrides', { ...job(number), stateOverrides: new Map() }],
  ['another kind of job', { ...job(number), kind: 'estimateGas' as const }],
  ['long input', job(number, { data: `0x${'00'.repeat(20_000)}` })],
  ['authorizations', job(number, { authorizationList: [] })],
])('%s: for the pool', async (_, heavy) => {
  const { lane, jobs } = await openLane();
  await lane.execute(heavy as ExecutionJob);
  expect(jobs).toEqual([heavy]);
});

test('what is wrong with a call is told as the pool tells it; a lane that is closed asks the pool', async () => {
  const { lane, jobs } = await openLane();
  await expect(lane.execute(job(number, { gas: 5n }))).rejects.toMatchObject({ code: 'CALL_GAS_TOO_LOW' });
  await lane.close();
  await lane.execute(job(number));
  expect(jobs.length).toBe(1);
});
