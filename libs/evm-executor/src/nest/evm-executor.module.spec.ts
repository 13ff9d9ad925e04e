import 'reflect-metadata';
import { expect, test } from '@jest/globals';
import { Test } from '@nestjs/testing';
import type { CallPool } from '../pool/call-pool-types.ts';
import { codes, contract, testHeader, testSpec } from '../test-chain.fixture.ts';
import { CALL_POOL, EvmExecutorModule } from './index.ts';

test('gives the pool to the application and closes it at shutdown', async () => {
  const options = { header: testHeader, accounts: { [contract]: { code: codes.gas } } };
  const moduleUrl = new URL('../pool/memory-source.fixture.mjs', import.meta.url).href;
  const source = { moduleUrl, exportName: 'createMemorySource', options };
  const app = await Test.createTestingModule({
    imports: [
      EvmExecutorModule.forRootAsync({
        useFactory: () => ({
          chains: { test: { spec: testSpec, source } },
          workers: 1,
          workerUrl: new URL('../../dist/pool/worker.js', import.meta.url),
        }),
      }),
    ],
  }).compile();
  const pool: CallPool = app.get(CALL_POOL);
  const job = { chain: 'test', blockHash: testHeader.hash, call: { to: contract } };
  expect(await pool.execute(job)).toMatchObject({ kind: 'success' });
  await app.close();
  await expect(pool.execute(job)).rejects.toMatchObject({ code: 'EXECUTION_CLOSED' });
});
