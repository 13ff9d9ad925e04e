// balanceOf of an ERC-20 with a new argument in each call, through worker threads and inline.
//   npm run bench
import { testHeader, testSpec } from '../test-chain.fixture.ts';
import { balanceOf, measure, tokenAccounts } from '../token-bench.fixture.ts';
import { createCallPool } from './create-call-pool.ts';

const clients = 32;
const options = {
  chains: {
    bench: {
      spec: testSpec,
      source: {
        // The bench runs from node_modules/.bench/pool.
        moduleUrl: new URL('../../../src/pool/memory-source.fixture.mjs', import.meta.url).href,
        exportName: 'createMemorySource',
        options: { header: testHeader, accounts: tokenAccounts },
      },
    },
  },
};
const job = { chain: 'bench', blockHash: testHeader.hash };

const pool = await createCallPool(options);
await measure(`pool, ${clients} clients`, (holder) => pool.execute({ ...job, call: balanceOf(holder) }), clients);
await pool.close();

const inline = await createCallPool({ ...options, inlineGasMax: 50_000 });
await measure(`inline, ${clients} clients`, (holder) => inline.execute({ ...job, call: balanceOf(holder) }), clients);
await inline.close();
