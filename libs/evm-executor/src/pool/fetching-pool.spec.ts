import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from '@cairn/block-model';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { alice, testHeader, testSpec } from '../test-chain.fixture.ts';
import { parseTraceOptions } from '../trace/trace-options.ts';
import type { CallPool, CallUse } from './call-pool.ts';
import { type CallPoolOptions, callPoolLimits } from './call-pool-options.ts';
import type { CallChain, FetchContext } from './call-source.ts';
import { createCallPool } from './create-call-pool.ts';
import type { CallJob, ExecutionJob } from './execution-job.ts';

const workerUrl = new URL('../../dist/pool/worker.js', import.meta.url);
const moduleUrl = new URL('./partial-source.fixture.mjs', import.meta.url).href;
const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;
const contract = (code: string, storage: Record<Hex, Hex> = {}) => ({ code: code as Hex, storage });

const sum: Hex = `0x${'b0'.repeat(20)}`;
const list: Hex = `0x${'b1'.repeat(20)}`;
const loop: Hex = `0x${'b2'.repeat(20)}`;
const revert: Hex = `0x${'b3'.repeat(20)}`;
const many: Hex = `0x${'b4'.repeat(20)}`;
const accounts = {
  [alice]: { balance: 10n ** 18n },
  // Returns slot 1 + slot 2.
  [sum]: contract('0x6001546002540160005260206000f3', { [word(1)]: '0x05', [word(2)]: '0x07' }),
  // Follows the linked list that starts in slot 1 until it finds zero.
  [list]: contract('0x60015b548060025760005260206000f3', { [word(1)]: '0x02', [word(2)]: '0x03' }),
  // Loops while slot 0 is zero, then returns it.
  [loop]: contract('0x5b5f54155f575f545f5260205ff3', { [word(0)]: '0x09' }),
  [revert]: contract('0x60005460005260206000fd', { [word(0)]: '0x01' }),
  // Returns the sum of slots 0 to 29, whose reads take 63,000 gas.
  [many]: contract(
    `0x5f${Array.from({ length: 30 }, (_, slot) => `60${word(slot).slice(-2)}5401`).join('')}5f5260205ff3`,
  ),
};
const job = (to: Hex, more: Partial<CallJob> = {}): CallJob => ({
  chain: 'test',
  blockHash: testHeader.hash,
  call: { from: alice, to },
  ...more,
});
const patient = { timeoutMs: 60_000 };

let directory: string;
let pool: CallPool;
let fetches: { readonly missing: unknown; readonly round: number }[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'partial-'));
  fetches = [];
});
afterEach(async () => {
  await pool.close();
  rmSync(directory, { recursive: true });
});

/** Fetch that makes the missing reads available. */
async function supply(missing: unknown): Promise<void> {
  for (const name of missing as string[]) writeFileSync(join(directory, name), '');
}

async function open(
  options: Partial<CallPoolOptions> = {},
  { fetch = supply, learn }: { fetch?: NonNullable<CallChain['fetch']>; learn?: CallChain['learn'] } = {},
): Promise<void> {
  const chain: CallChain = {
    spec: testSpec,
    source: { moduleUrl, exportName: 'createPartialSource', options: { header: testHeader, accounts, directory } },
    async fetch(missing, context) {
      fetches.push({ missing, round: context.round });
      await fetch(missing, context);
    },
    ...(learn && { learn }),
  };
  pool = await createCallPool({ chains: { test: chain }, workers: 1, workerUrl, ...options });
}

describe.each([
  ['workers', {}],
  ['the calling thread', { inlineGasMax: 50_000 }],
])('a pool that runs calls in %s', (_, options) => {
  test('fetches what a run misses, with all reads that the run finds in one fetch', async () => {
    await open(options);
    const result = { kind: 'success', output: word(12) };
    expect(await pool.execute(job(sum), patient)).toMatchObject(result);
    expect(fetches).toEqual([
      { missing: expect.arrayContaining([alice, sum]), round: 1 },
      { missing: [`${sum}-${word(1)}`, `${sum}-${word(2)}`], round: 2 },
    ]);
    expect(await pool.execute(job(sum), patient)).toMatchObject(result);
    expect(fetches).toHaveLength(2);
  });

  test('fetches the reads of a call above the gas budget of the calling thread together', async () => {
    await open(options);
    expect(await pool.execute(job(many), patient)).toMatchObject({ kind: 'success', output: word(0) });
    expect(fetches.map(({ missing }) => (missing as string[]).length)).toEqual([expect.any(Number), 30]);
  });

  test('throws the error of a run only when nothing is missing', async () => {
    await open(options);
    const call = { from: alice, to: sum, value: 10n ** 30n };
    await expect(pool.execute(job(sum, { call }), patient)).rejects.toMatchObject({ code: 'CALL_FUNDS_INSUFFICIENT' });
    expect(fetches.length).toBeGreaterThan(0);
    expect(await pool.execute(job(revert), patient)).toMatchObject({ kind: 'revert', data: word(1) });
  });

  test('reports the reads of a job that needed a fetch', async () => {
    const learned: unknown[] = [];
    await open(options, { learn: (reads, { chain }) => learned.push([chain, reads]) });
    await pool.execute(job(sum), patient);
    await pool.execute(job(sum), patient);
    const reads = expect.arrayContaining([alice, sum, `${sum}-${word(1)}`, `${sum}-${word(2)}`]);
    expect(learned).toEqual([['test', reads]]);
  });

  test('ends a job whose reads stay missing after a bounded number of fetches', async () => {
    await open(options, { fetch: async () => {} });
    await expect(pool.execute(job(sum), { timeoutMs: 600_000 })).rejects.toMatchObject({
      code: 'EXECUTION_ROUNDS_EXCEEDED',
    });
    expect(fetches).toHaveLength(callPoolLimits.fetchRoundsMax);
  });

  test('ends a fetch at the deadline of the job, and aborts its signal', async () => {
    const signals: AbortSignal[] = [];
    const fetch = ({ signal }: FetchContext) => {
      signals.push(signal);
      return new Promise<void>(() => {});
    };
    await open({ ...options, fetchTimeoutMs: 1 }, { fetch: (_missing, context) => fetch(context) });
    await expect(pool.execute(job(sum), { timeoutMs: 500 })).rejects.toMatchObject({ code: 'EXECUTION_TIMEOUT' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('ends a fetch when its caller aborts, and reports the use once', async () => {
    const controller = new AbortController();
    const uses: CallUse[] = [];
    await open(options, {
      fetch: async (missing, { round }) => {
        if (round === 1) return supply(missing);
        controller.abort();
        return new Promise<void>(() => {});
      },
    });
    const onUsed = (use: CallUse) => uses.push(use);
    const aborted = pool.execute(job(sum), { ...patient, signal: controller.signal, onUsed });
    await expect(aborted).rejects.toMatchObject({ code: 'EXECUTION_ABORTED' });
    expect(uses).toHaveLength('inlineGasMax' in options ? 0 : 1);
    expect(uses.every(({ isAnswered }) => !isAnswered)).toBe(true);
  });

  test('passes errors of a fetch to the caller', async () => {
    await open(options, { fetch: () => Promise.reject(new Error('no upstream')) });
    await expect(pool.execute(job(sum), patient)).rejects.toThrow('no upstream');
  });
});

describe('a pool that fetches', () => {
  test('needs one round for each element of a linked list', async () => {
    await open();
    const result = await pool.execute(job(list), patient);
    expect(result).toMatchObject({ kind: 'success' });
    expect(fetches.length).toBe(4);
  });

  test('ends a run that loops for ever over an empty value', async () => {
    await open({ gasCapMultiplier: 100_000 });
    expect(await pool.execute(job(loop), patient)).toMatchObject({ kind: 'success', output: word(9) });
    expect(fetches.length).toBe(2);
  });

  test('sums the worker time of all runs', async () => {
    await open();
    const uses: CallUse[] = [];
    await pool.execute(job(sum), { ...patient, onUsed: (use) => uses.push(use) });
    expect(uses).toEqual([{ workerMs: expect.any(Number), isAnswered: true }]);
    expect(uses[0]?.workerMs).toBeGreaterThan(0);
  });

  test('fails a job whose worker ends between two fetches, and serves the next one', async () => {
    await open(
      {},
      {
        fetch: async (missing, { round }) => {
          await supply(missing);
          if (round === 1 && fetches.length === 1) writeFileSync(join(directory, 'exit'), '');
        },
      },
    );
    const uses: CallUse[] = [];
    const failed = pool.execute(job(sum), { ...patient, onUsed: (use) => uses.push(use) });
    await expect(failed).rejects.toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(uses).toHaveLength(1);
    expect(pool.stats().replaced).toBe(1);
    expect(await pool.execute(job(sum), patient)).toMatchObject({ output: word(12) });
  });

  test('holds no worker while a fetch is waiting', async () => {
    let release = () => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isFetching = () => {};
    const fetching = new Promise<void>((resolve) => {
      isFetching = resolve;
    });
    await open(
      {},
      {
        fetch: async (missing, { round }) => {
          if ((missing as string[]).includes(list) && round === 1) {
            isFetching();
            await waiting;
          }
          await supply(missing);
        },
      },
    );
    const slow = pool.execute(job(list), patient);
    await fetching;
    expect(pool.stats().running).toBe(0);
    expect(await pool.execute(job(sum), patient)).toMatchObject({ output: word(12) });
    release();
    expect(await slow).toMatchObject({ kind: 'success' });
  });

  test('close waits for jobs that are fetching', async () => {
    await open();
    const called = pool.execute(job(list), patient);
    await pool.close();
    expect(await called).toMatchObject({ kind: 'success' });
    await expect(pool.execute(job(list))).rejects.toMatchObject({ code: 'EXECUTION_CLOSED' });
  });

  const kinds: readonly (readonly [string, ExecutionJob, object])[] = [
    ['estimates', { ...job(sum), kind: 'estimateGas' }, { kind: 'estimate' }],
    ['access lists', { ...job(sum), kind: 'createAccessList', tip: 0n }, { accessList: [expect.anything()] }],
    [
      'traced calls',
      { ...job(sum), kind: 'traceCall', options: parseTraceOptions({ tracer: 'callTracer' }) },
      { kind: 'json', json: expect.stringContaining(word(12)) },
    ],
  ];
  test.each(kinds)('executes %s', async (_, other, result) => {
    await open();
    expect(await pool.execute(other, patient)).toMatchObject(result);
    expect(fetches.length).toBeGreaterThan(0);
  });
});
