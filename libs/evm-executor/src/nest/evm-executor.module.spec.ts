import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { CallPool, DeferredCallPool } from '../pool/index.ts';
import { codes, contract, testHeader, testSpec } from '../test-chain.fixture.ts';
import { EvmExecutorModule, type EvmExecutorOptions } from './index.ts';

const moduleUrl = new URL('../pool/memory-source.fixture.mjs', import.meta.url).href;
const options = { header: testHeader, accounts: { [contract]: { code: codes.gas } } };
const chains = { test: { spec: testSpec, source: { moduleUrl, exportName: 'createMemorySource', options } } };
const workerUrl = new URL('../../dist/pool/worker.js', import.meta.url);
const job = { chain: 'test', blockHash: testHeader.hash, call: { to: contract } };

async function openApp(own: EvmExecutorOptions) {
  const module = EvmExecutorModule.forRootAsync({ useFactory: () => ({ workers: 1, workerUrl, ...own }) });
  return await Test.createTestingModule({ imports: [module] }).compile();
}

describe('EvmExecutorModule', () => {
  test('provides CallPool and closes it at shutdown', async () => {
    const app = await openApp({ chains });
    const pool = app.get(CallPool);
    expect(await pool.execute(job)).toMatchObject({ kind: 'success' });
    await app.close();
    await expect(pool.execute(job)).rejects.toMatchObject({ code: 'EXECUTION_CLOSED' });
  });

  test('without chains refuses jobs until DeferredCallPool is started', async () => {
    const app = await openApp({});
    const pool = app.get(CallPool);
    const uses: unknown[] = [];
    const early = pool.execute(job, { onUsed: (use) => uses.push(use) });
    await expect(early).rejects.toMatchObject({ code: 'EXECUTION_NOT_STARTED' });
    expect(uses).toEqual([{ workerMs: 0, isAnswered: false }]);
    expect(pool.stats()).toMatchObject({ running: 0, idle: 0 });
    await app.get(DeferredCallPool).start(chains);
    expect(await pool.execute(job)).toMatchObject({ kind: 'success' });
    await app.close();
    await expect(pool.execute(job)).rejects.toMatchObject({ code: 'EXECUTION_CLOSED' });
  });
});
