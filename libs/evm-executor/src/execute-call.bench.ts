// Calls per second of an ERC-20's balanceOf with a new argument each time, in process and through the pool.
//   npm run bench
import type { Hex } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import { createEthereumjsEngine } from './engine/ethereumjs-engine.ts';
import { executeCall } from './execute-call.ts';
import { createCallPool } from './pool/create-call-pool.ts';
import { alice, testHeader, testSpec } from './test-chain.fixture.ts';

const callsPerRound = 6_000;
const rounds = 5;
const clients = 32;

const token: Hex = `0x${'c0'.repeat(20)}`;
/** Four selectors to pass, then `balances[address]` by KECCAK256 and SLOAD, as solc compiles it. */
const code: Hex =
  '0x5f3560e01c806306fdde0314602c57806318160ddd14602c57806323b872dd14602c576370a08231146030575b5f5ffd5b6004355f525f60205260405f20545f5260205ff3';
const accounts = { [token]: { code } };
const balanceOf = (holder: number) => ({
  from: alice,
  to: token,
  data: `0x70a08231${holder.toString(16).padStart(64, '0')}` as Hex,
});

async function measure(name: string, call: (holder: number) => Promise<{ kind: string }>, width: number) {
  const rates: number[] = [];
  let holder = 0;
  for (let round = 0; round < rounds; round++) {
    const end = holder + callsPerRound;
    const start = performance.now();
    await Promise.all(
      Array.from({ length: width }, async () => {
        while (holder < end) {
          const { kind } = await call(holder++);
          if (kind !== 'success') throw new Error(`${name}: ${kind}`);
        }
      }),
    );
    rates.push(Math.round((callsPerRound / (performance.now() - start)) * 1_000));
  }
  // The first round warms up.
  rates.shift();
  console.log(`${name.padEnd(32)} ${Math.min(...rates)} to ${Math.max(...rates)} calls/s`);
}

const state = createMemoryState(accounts);
const block = { spec: testSpec, header: testHeader, blockHashes: () => undefined };
const reference = createEthereumjsEngine();
await measure(
  '@ethereumjs/evm, in process',
  (holder) => executeCall({ ...block, state, engine: reference, call: balanceOf(holder) }),
  1,
);
await measure('in process', (holder) => executeCall({ ...block, state, call: balanceOf(holder) }), 1);
await measure(
  'in process, a new state each call',
  (holder) => executeCall({ ...block, state: { ...state }, call: balanceOf(holder) }),
  1,
);

const options = {
  chains: {
    bench: {
      spec: testSpec,
      source: {
        moduleUrl: new URL('../../src/pool/memory-source.fixture.mjs', import.meta.url).href,
        exportName: 'createMemorySource',
        options: { header: testHeader, accounts },
      },
    },
  },
};
const pool = await createCallPool(options);
const job = { chain: 'bench', blockHash: testHeader.hash };
await measure(`pool, ${clients} clients`, (holder) => pool.execute({ ...job, call: balanceOf(holder) }), clients);
await pool.close();
const inline = await createCallPool({ ...options, inlineGasMax: 50_000 });
await measure(`inline, ${clients} clients`, (holder) => inline.execute({ ...job, call: balanceOf(holder) }), clients);
await inline.close();
