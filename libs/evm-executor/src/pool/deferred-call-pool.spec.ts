import { describe, expect, test } from '@jest/globals';
import { codes, contract, testHeader, testSpec } from '../test-chain.fixture.ts';
import { DeferredCallPool } from './deferred-call-pool.ts';

const workerUrl = new URL('../../dist/pool/worker.js', import.meta.url);
/** Worker without an engine, for tests that execute no job. */
const stubUrl = new URL('./stub-worker.fixture.mjs', import.meta.url);
const moduleUrl = new URL('./memory-source.fixture.mjs', import.meta.url).href;
const job = { chain: 'test', blockHash: testHeader.hash, call: { to: contract } };

function chains(more: object = {}) {
  const options = { header: testHeader, accounts: { [contract]: { code: codes.gas } }, ...more };
  return { test: { spec: testSpec, source: { moduleUrl, exportName: 'createMemorySource', options } } };
}

describe('DeferredCallPool', () => {
  test('start can be repeated after a failure, and not after a success', async () => {
    const pool = new DeferredCallPool({ workers: 1, workerUrl });
    await expect(pool.start(chains({ failure: 'the disk is full' }))).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
    });
    await expect(pool.execute(job)).rejects.toMatchObject({ code: 'EXECUTION_NOT_STARTED' });
    await pool.start(chains());
    expect(await pool.execute(job)).toMatchObject({ kind: 'success' });
    await expect(pool.start(chains())).rejects.toMatchObject({ code: 'EXECUTION_FAILED' });
    await pool.close();
  });

  test('close during start waits for the workers and ends them', async () => {
    const pool = new DeferredCallPool({ workers: 1, workerUrl: stubUrl });
    const started = pool.start(chains());
    await pool.close();
    await started;
    await expect(pool.execute(job)).rejects.toMatchObject({ code: 'EXECUTION_CLOSED' });
  });

  test('close before start makes start fail', async () => {
    const pool = new DeferredCallPool({ workers: 1, workerUrl: stubUrl });
    await pool.close();
    await expect(pool.start(chains())).rejects.toMatchObject({ code: 'EXECUTION_CLOSED' });
  });
});
