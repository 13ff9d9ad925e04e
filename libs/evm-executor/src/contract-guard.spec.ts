import type { Hex } from '@cairn/block-model';
import { createMemoryState, type MemoryAccount } from '@cairn/block-model/testing';
import { describe, expect, test } from '@jest/globals';
import { TrieState } from './block/trie-state.fixture.ts';
import type { CallRequest, StateOverrides } from './call-request.ts';
import { createAccessList } from './create-access-list.ts';
import { createEngine } from './engine/create-engine.ts';
import type { EngineName } from './engine/engine-name.ts';
import { estimateGas } from './estimate-gas.ts';
import { type ExecuteCallOptions, executeCall } from './execute-call.ts';
import { simulate } from './simulate/simulate.ts';
import { alice, contract, other, testHeader, testSpec } from './test-chain.fixture.ts';
import { traceCall } from './trace/trace-call.ts';
import { parseTraceOptions } from './trace/trace-options.ts';

// `contract` is on the caller's list, `other` is not.
const target = other.slice(2);
const wallet: Hex = `0x${'b0'.repeat(20)}`;
const delegated: Hex = `0x${'d0'.repeat(20)}`;
const word = (value: bigint | Hex): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`;
const refusal = { code: 'CONTRACT_NOT_ALLOWED', details: { address: other } };

/** Code that returns the word on the stack. */
const returned = '5f5260205ff3';
const reads: Readonly<Record<string, string>> = {
  CALL: `5f5f5f5f5f73${target}5af1${returned}`,
  CALLCODE: `5f5f5f5f5f73${target}5af2${returned}`,
  DELEGATECALL: `5f5f5f5f73${target}5af4${returned}`,
  STATICCALL: `5f5f5f5f73${target}5afa${returned}`,
  BALANCE: `73${target}31${returned}`,
  EXTCODESIZE: `73${target}3b${returned}`,
  EXTCODECOPY: `60205f5f73${target}3c60205ff3`,
  EXTCODEHASH: `73${target}3f${returned}`,
  SELFDESTRUCT: `73${target}ff`,
  'a call to an account that delegates to it': `5f5f5f5f5f73${delegated.slice(2)}5af1${returned}`,
  'a call with a value': `5f5f5f5f600173${target}5af1${returned}`,
  'a call whose failure is ignored': `5f5f5f5f5f73${target}61fffff150600160005260206000f3`,
};

const accounts = (code = ''): Readonly<Record<Hex, MemoryAccount>> => ({
  [contract]: { code: `0x${code}`, balance: 5n },
  [other]: { code: `0x602a${returned}`, balance: 7n, nonce: 3n },
  [delegated]: { code: `0xef0100${target}` },
  [wallet]: { balance: 9n },
});
const options = (call: CallRequest, code = '', more: Partial<ExecuteCallOptions> = {}): ExecuteCallOptions => ({
  spec: testSpec,
  header: testHeader,
  state: createMemoryState(accounts(code)),
  blockHashes: () => undefined,
  call: { from: alice, to: contract, ...call },
  contracts: [contract],
  ...more,
});

const engines: readonly EngineName[] = ['interpreter', 'compiled', 'ethereumjs'];

describe.each(engines)('engine %s', (name) => {
  const engine = createEngine(name);

  test.each(Object.entries(reads))('%s of an unlisted contract ends the call', async (_, code) => {
    await expect(executeCall(options({}, code, { engine }))).rejects.toMatchObject(refusal);
    await expect(executeCall(options({}, code, { engine, contracts: [contract, other] }))).resolves.toBeDefined();
    await expect(executeCall(options({}, code, { engine, contracts: undefined }))).resolves.toBeDefined();
  });

  test.each(Object.entries(reads))('%s of an unlisted contract ends a trace', async (_, code) => {
    const traced = traceCall(options({}, code, { engine }), parseTraceOptions({ tracer: 'callTracer' }));
    await expect(traced).rejects.toMatchObject(refusal);
  });

  test('a listed contract can read accounts without code', async () => {
    const code = `73${wallet.slice(2)}31${returned}`;
    expect(await executeCall(options({}, code, { engine }))).toMatchObject({ kind: 'success', output: word(9n) });
  });

  test('a contract that the call creates can be called', async () => {
    const runtime = `602a${returned}`;
    const init = `67${runtime}5f5260086018f3`;
    const create = `6f${init}5f52601060105ff0`;
    const code = `${create}5f5f5f5f5f855af15060205f5f3e60205ff3`;
    expect(await executeCall(options({}, code, { engine }))).toMatchObject({ kind: 'success', output: word(42n) });
  });
});

test('an unlisted contract cannot be the sender', async () => {
  await expect(executeCall(options({ from: other }))).rejects.toMatchObject(refusal);
  const priced = { from: other, gasPrice: 100n, value: 8n };
  for (const run of [estimateGas, createAccessList]) await expect(run(options(priced))).rejects.toMatchObject(refusal);
});

test.each([
  ['code', { code: '0x00' }],
  ['storage', { stateDiff: new Map([[word(0n), word(1n)]]) }],
  ['balance', { balance: 1n }],
] as const)('an override of %s does not open an unlisted contract', async (_, override) => {
  const stateOverrides: StateOverrides = new Map([[other, override]]);
  await expect(executeCall(options({}, '', { stateOverrides }))).rejects.toMatchObject(refusal);
});

test('a coinbase with code receives its tip and stays unreadable', async () => {
  const header = { ...testHeader, miner: other };
  const call = { gasPrice: 100n, gas: 50_000n };
  const stateOverrides: StateOverrides = new Map([[alice, { balance: 10n ** 18n }]]);
  expect(await executeCall(options(call, '', { header, stateOverrides }))).toMatchObject({ kind: 'success' });
  await expect(executeCall(options(call, reads.BALANCE, { header, stateOverrides }))).rejects.toMatchObject(refusal);
});

describe('eth_simulateV1', () => {
  async function run(code: string, calls: readonly CallRequest[], blockOverrides = {}) {
    const state = await TrieState.of(accounts(code));
    return await simulate({
      spec: testSpec,
      header: testHeader,
      state: state.view(),
      stateRoots: state,
      blockHashes: () => undefined,
      engine: createEngine('interpreter'),
      contracts: [contract],
      simulation: { blocks: [{ calls, blockOverrides }] },
    });
  }

  test('a nested call to an unlisted contract ends the simulation', async () => {
    await expect(run(reads.CALL ?? '', [{ from: alice, to: contract }])).rejects.toMatchObject(refusal);
  });

  test('a fee recipient that is an unlisted contract stays unreadable after payment', async () => {
    const calls = [{ from: alice, to: contract }];
    expect(await run('00', calls, { feeRecipient: other })).toHaveLength(1);
    const twice = [...calls, ...calls];
    await expect(run(reads.BALANCE ?? '', twice, { feeRecipient: other })).rejects.toMatchObject(refusal);
  });
});
