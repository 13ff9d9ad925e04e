// balanceOf of an ERC-20 with a new argument in each call, in process.
//   npm run bench
import { createMemoryState } from '@cairn/block-model/testing';
import { createEthereumjsEngine } from '@cairn/evm-ethereumjs';
import { executeCall } from './execute-call.ts';
import { testHeader, testSpec } from './test-chain.fixture.ts';
import { balanceOf, measure, tokenAccounts } from './token-bench.fixture.ts';

const state = createMemoryState(tokenAccounts);
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
