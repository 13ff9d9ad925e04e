// Runs calls in a project without @cairn/evm-ethereumjs: prints one result or error code per line. Workers of the pool import
// the module as their chain source.
import { isMainThread } from 'node:worker_threads';
import { headerFromJson, knownChainSpec } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import { createEngine, executeCall, parseCallRequest } from '@cairn/evm-executor';
import { createCallPool } from '@cairn/evm-executor/pool';

const zeros = (bytes) => `0x${'00'.repeat(bytes)}`;
const header = headerFromJson({
  parentHash: zeros(32),
  sha3Uncles: zeros(32),
  stateRoot: zeros(32),
  transactionsRoot: zeros(32),
  receiptsRoot: zeros(32),
  mixHash: zeros(32),
  miner: zeros(20),
  logsBloom: zeros(256),
  nonce: zeros(8),
  extraData: '0x',
  difficulty: '0x0',
  baseFeePerGas: '0x7',
  number: '0xf4240',
  gasLimit: '0x1c9c380',
  gasUsed: '0x0',
  timestamp: '0x3e8',
});
const spec = knownChainSpec('main', 'mainnet');
const state = createMemoryState({});

export function openSource() {
  return { header: () => header, stateAt: () => state };
}

if (isMainThread) {
  const call = parseCallRequest({ to: '0x0000000000000000000000000000000000000002', data: '0xcafe' });
  const print = (result) => result.then(({ kind }) => console.log(kind)).catch(({ code }) => console.log(code));
  const inProcess = (engine) =>
    executeCall({ spec, header, state, blockHashes: () => undefined, call, engine: createEngine(engine) });
  const inPool = async (engine) => {
    const source = { moduleUrl: import.meta.url, exportName: 'openSource' };
    const pool = await createCallPool({ chains: { main: { spec, source } }, workers: 1, engine });
    return pool.execute({ chain: 'main', blockHash: header.hash, call }).finally(() => pool.close());
  };
  await print(inProcess('compiled'));
  await print(inProcess('ethereumjs'));
  await print(inPool('ethereumjs'));
  await print(inPool('compiled'));
}
