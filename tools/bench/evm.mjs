#!/usr/bin/env node
// node evm.mjs [--no-anvil] [--runs 9]: what the engines make of one gas, on loops of the kinds that contracts have, beside anvil
// (revm, the interpreter of Rust nodes) and @ethereumjs/evm, in one run.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { headerFromJson, parseGethGenesis } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import { createEngine, executeCall, parseCallRequest } from '@cairn/evm-executor';
import solc from 'solc';
import { ask, startAnvil } from './lib/anvil.mjs';

const { values } = parseArgs({
  options: { anvil: { type: 'boolean', default: true }, runs: { type: 'string', default: '9' } },
  allowNegative: true,
});
const runs = Number(values.runs);
/** At least so long each engine runs each loop. */
const runMs = 1_000;
const address = `0x${'c0'.repeat(20)}`;
const from = `0x${'aa'.repeat(20)}`;
/** Rounds of each loop: some milliseconds for the fastest. */
const workloads = {
  arithmetic: 20_000,
  memorySort: 300,
  hashes: 20_000,
  quotes: 20_000,
  rays: 2_000,
  paths: 200,
  products: 20_000,
  storageLoop: 10_000,
  balancesOf: 200,
  transfers: 1_000,
  precompiles: 300,
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

const { code, selectors } = compileWorkloads();
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

/** The fastest of some runs, as many as take a while: what runs in V8 is still becoming faster. */
async function best(count, run, msMin = 0) {
  const times = [];
  let result;
  const begun = performance.now();
  for (let n = 0; n < count || performance.now() - begun < msMin; n++) {
    const start = performance.now();
    result = await run();
    times.push(performance.now() - start);
  }
  return { ms: Math.min(...times), first: times[0], result };
}

const place = chain();
const engines = Object.fromEntries(['ethereumjs', 'interpreter', 'compiled'].map((name) => [name, createEngine(name)]));
const anvil = values.anvil ? await startAnvil({ code: { [address]: code }, transactions: 0 }) : undefined;
try {
  /** What a request takes that runs next to nothing. */
  const idle =
    anvil &&
    (await best(30, () =>
      ask(anvil.url, 'eth_call', [
        { ...callOf('hashes'), data: `${callOf('hashes').data.slice(0, 10)}${'0'.repeat(64)}` },
        'latest',
      ]),
    ));
  console.log(
    'Mgas/s, the best of several runs         @ethereumjs  interpreter     compiled        anvil   compiled/anvil  compiled/@ethereumjs',
  );
  for (const name of Object.keys(workloads)) {
    const call = parseCallRequest(callOf(name));
    const rates = {};
    let expected;
    let gasUsed = 0;
    for (const [engineName, engine] of Object.entries(engines)) {
      const { ms, result } = await best(Math.min(3, runs), () => executeCall({ ...place, call, engine }), runMs);
      if (result.kind !== 'success')
        throw new Error(
          `${name} on ${engineName}: ${JSON.stringify(result, (_, v) => (typeof v === 'bigint' ? String(v) : v))}`,
        );
      expected ??= result.output;
      if (result.output !== expected)
        throw new Error(`${name}: ${engineName} comes to ${result.output}, not ${expected}`);
      gasUsed = Number(result.gasUsed);
      rates[engineName] = gasUsed / ms / 1000;
    }
    if (anvil) {
      const { ms, result } = await best(runs, () =>
        ask(anvil.url, 'eth_call', [{ ...callOf(name), gas: '0x5f5e100' }, 'latest']),
      );
      if (result !== expected) throw new Error(`${name}: anvil comes to ${result}, not ${expected}`);
      rates.anvil = gasUsed / Math.max(0.01, ms - idle.ms) / 1000;
    }
    const cells = ['ethereumjs', 'interpreter', 'compiled', 'anvil'].map((one) =>
      (rates[one]?.toFixed(0) ?? '–').padStart(12),
    );
    const ratio = (one) => (rates[one] ? (rates.compiled / rates[one]).toFixed(2) : '–').padStart(14);
    console.log(
      `${`${name}, ${(gasUsed / 1e6).toFixed(1)} Mgas`.padEnd(38)} ${cells.join(' ')} ${ratio('anvil')} ${ratio('ethereumjs')}`,
    );
  }
} finally {
  anvil?.stop();
}
