#!/usr/bin/env node
// node evm.mjs [--no-anvil] [--runs 9]: what the engines make of one gas, on loops of the kinds that contracts have, beside anvil
// (revm, the interpreter of Rust nodes) and @ethereumjs/evm, in one run.
import { readFileSync, existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { headerFromJson, parseGethGenesis } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import { createEngine, executeCall, parseCallRequest } from '@cairn/evm-executor';
import { ask, startAnvil } from './lib/anvil.mjs';

const { values } = parseArgs({
  options: { anvil: { type: 'boolean', default: true }, runs: { type: 'string', default: '9' } },
  allowNegative: true,
});
const runs = Number(values.runs);
const address = `0x${'c0'.repeat(20)}`;
const from = `0x${'aa'.repeat(20)}`;
/** Rounds of each loop: some milliseconds for the fastest. */
const workloads = {
  arithmetic: 20_000,
  memorySort: 300,
  hashes: 20_000,
  storageLoop: 10_000,
  balancesOf: 200,
  quotes: 20_000,
  rays: 2_000,
  precompiles: 300,
  transfers: 500,
  products: 20_000,
};

function compileWorkloads() {
  const content = readFileSync(new URL('evm/Workloads.sol', import.meta.url), 'utf8');
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: 'cancun',
    outputSelection: { '*': { '*': ['evm.deployedBytecode.object', 'evm.methodIdentifiers'] } },
  };
  const input = { language: 'Solidity', sources: { 'W.sol': { content } }, settings };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input)));
  const wrong = errors.filter(({ severity }) => severity === 'error');
  if (wrong.length > 0) throw new Error(wrong.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const { evm } = contracts['W.sol'].Workloads;
  return { code: `0x${evm.deployedBytecode.object}`, selectors: evm.methodIdentifiers };
}

if (!existsSync('/tmp/w.json')) { globalThis.solc = (await import('solc')).default; writeFileSync('/tmp/w.json', JSON.stringify(compileWorkloads())); }
const { code, selectors } = JSON.parse(readFileSync('/tmp/w.json','utf8'));
const callOf = (name) => ({
  from,
  to: address,
  data: `0x${selectors[`${name}(uint256)`]}${workloads[name].toString(16).padStart(64, '0')}`,
});

/** A block of Cancun with much gas. */
function chain() {
  const zeros = (bytes) => `0x${'00'.repeat(bytes)}`;
  const { spec } = parseGethGenesis('bench', {
    config: {
      ...{ chainId: 1337, homesteadBlock: 0, eip150Block: 0, eip155Block: 0, eip158Block: 0, byzantiumBlock: 0 },
      ...{ constantinopleBlock: 0, petersburgBlock: 0, istanbulBlock: 0, berlinBlock: 0, londonBlock: 0 },
      ...{ terminalTotalDifficulty: 0, shanghaiTime: 0, cancunTime: 0 },
    },
    nonce: '0x0',
    timestamp: '0x0',
    gasLimit: '0x1c9c380',
    difficulty: '0x0',
    alloc: {},
  });
  const header = headerFromJson({
    ...{
      parentHash: zeros(32),
      sha3Uncles: zeros(32),
      miner: zeros(20),
      stateRoot: zeros(32),
      transactionsRoot: zeros(32),
    },
    ...{
      receiptsRoot: zeros(32),
      logsBloom: zeros(256),
      difficulty: '0x0',
      number: '0x64',
      gasLimit: '0x5f5e100',
      gasUsed: '0x0',
    },
    ...{ timestamp: '0x3e8', extraData: '0x', mixHash: zeros(32), nonce: zeros(8), baseFeePerGas: '0x7' },
    ...{ withdrawalsRoot: zeros(32), blobGasUsed: '0x0', excessBlobGas: '0x0', parentBeaconBlockRoot: zeros(32) },
  });
  return { spec, header, state: createMemoryState({ [address]: { code, balance: 0n } }), blockHashes: () => undefined };
}

async function best(count, run) {
  const times = [];
  let result;
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    result = await run();
    times.push(performance.now() - start);
  }
  return { ms: Math.min(...times), first: times[0], result };
}

const place = chain();
const which = process.env.W ?? 'balancesOf';
const engine = createEngine('compiled');
const call = parseCallRequest(callOf(which));
let b = 1e9,
  g;
for (let i = 0; i < +(process.env.N ?? 600); i++) {
  const t = performance.now();
  const r = await executeCall({ ...place, call, engine });
  g = Number(r.gasUsed);
  b = Math.min(b, performance.now() - t);
}
console.log(which, (g / b / 1000).toFixed(0), 'Mgas/s', b.toFixed(3), 'ms');
