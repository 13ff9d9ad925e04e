import type { BlockRun, Hex } from '@cairn/block-model';
import { createMemoryState, hasConformanceCases } from '@cairn/block-model/testing';
import type { Deadline } from '@cairn/evm';
import { describe, expect, test } from '@jest/globals';
import { collectBlockAccesses } from './block/collect-block-accesses.ts';
import { TrieState } from './block/trie-state.fixture.ts';
import { createAccessList } from './create-access-list.ts';
import { createEngine } from './engine/create-engine.ts';
import { estimateGas } from './estimate-gas.ts';
import { readRecordedChain } from './recorded-chain.fixture.ts';
import { simulate } from './simulate/simulate.ts';
import type { SimulatedBlock } from './simulate/simulation.ts';
import { alice, codes, contract, optionsFor, testHeader, testSpec } from './test-chain.fixture.ts';
import { traceBlock } from './trace/trace-block.ts';
import { traceCall } from './trace/trace-call.ts';
import { parseTraceOptions } from './trace/trace-options.ts';

const past = { at: 0, timeoutMs: 1_500 };
/** geth's message. */
const timeout = { code: 'EXECUTION_TIMEOUT', message: 'execution aborted (timeout = 1.5s)' };
const rich = { [alice]: { balance: 10n ** 18n } };

/** Creates a deadline that passes after a number of checks. */
function after(looks: number): Deadline {
  let left = looks;
  return { at: Number.POSITIVE_INFINITY, timeoutMs: 1_500, isStopped: () => left-- <= 0 };
}

describe('a simulation ends at its deadline', () => {
  async function run(blocks: readonly SimulatedBlock[], deadline: Deadline) {
    const state = await TrieState.of({ [contract]: { code: codes.spin } });
    const options = { spec: testSpec, header: testHeader, blockHashes: () => undefined, simulation: { blocks } };
    const place = { state: state.view(), stateRoots: state, engine: createEngine('interpreter') };
    return await simulate({ ...options, ...place, deadline });
  }
  const call = { from: alice, to: alice };
  const beaconRoots: Hex = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02';

  test('between blocks', async () => {
    const blocks = [{ blockOverrides: { number: testHeader.number + 256n }, calls: [] }];
    await expect(run(blocks, after(10))).rejects.toMatchObject(timeout);
    expect(await run(blocks, after(1_000_000))).toHaveLength(256);
  });

  test('between calls', async () => {
    const blocks = [{ calls: Array(1_000).fill(call) }];
    await expect(run(blocks, after(10))).rejects.toMatchObject(timeout);
  });

  test('within a call', async () => {
    const blocks = [{ calls: [{ from: alice, to: contract }] }];
    await expect(run(blocks, after(10))).rejects.toMatchObject(timeout);
  });

  test('within a system call', async () => {
    const stateOverrides = new Map([[beaconRoots, { code: codes.spin }]]);
    await expect(run([{ stateOverrides, calls: [] }], after(10))).rejects.toMatchObject(timeout);
  });
});

describe('an access list ends at its deadline', () => {
  /** Reads a different slot in each round, since the list changes the gas. */
  const restless = '0x6103e85a0454';
  const listOf = (code: Hex, deadline: Deadline) =>
    createAccessList({
      ...optionsFor({ from: alice, to: contract }, { ...rich, [contract]: { code } }),
      limits: { deadline },
    });

  test('between rounds', async () => {
    await expect(listOf(restless, after(1))).rejects.toMatchObject(timeout);
    expect(await listOf(restless, after(1_000_000))).toMatchObject({ kind: 'accessList' });
  });

  test('within a round', async () => {
    await expect(listOf(codes.spin, past)).rejects.toMatchObject(timeout);
  });
});

test('an estimate ends at its deadline between attempts', async () => {
  const options = optionsFor({ from: alice, to: contract }, { ...rich, [contract]: { code: codes.gas } });
  await expect(estimateGas({ ...options, limits: { deadline: past } })).rejects.toMatchObject(timeout);
});

const onChain = hasConformanceCases ? describe : describe.skip;

onChain('a job that replays a block ends at its deadline', () => {
  function place() {
    const { spec, blocks, genesis } = readRecordedChain();
    const [block] = blocks;
    if (block === undefined) throw new Error('no block');
    return { spec, block, state: createMemoryState(genesis), blockHashes: () => undefined, engine: createEngine() };
  }

  test('a trace of a call within a block, before the call', async () => {
    const { block, ...rest } = place();
    const within = { block, index: block.transactions.length };
    const options = { ...rest, header: block.header, call: { from: alice }, within, limits: { deadline: past } };
    await expect(traceCall(options, parseTraceOptions({ tracer: 'noopTracer' }))).rejects.toMatchObject({
      code: 'EXECUTION_TIMEOUT',
      message: 'execution timeout',
    });
  });

  test('a trace of a transaction, before the transaction', async () => {
    const { block, ...rest } = place();
    const index = block.transactions.length - 1;
    const options = parseTraceOptions({ tracer: 'noopTracer' });
    await expect(traceBlock({ ...rest, block, index, options, deadline: past })).rejects.toMatchObject({
      code: 'EXECUTION_TIMEOUT',
      message: 'execution timeout',
    });
  });

  test('a witness', async () => {
    const { engine, ...rest } = place();
    const parent = { ...rest.block.header, number: 0n, hash: rest.block.header.parentHash };
    const roots: BlockRun['roots'] = { after: async () => new Uint8Array(32) };
    await expect(collectBlockAccesses({ ...rest, parent, roots }, engine, past)).rejects.toMatchObject(timeout);
  });
});
