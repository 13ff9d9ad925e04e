import { type ChainSpec, type Hex, parseGethGenesis } from '@cairn/block-model';
import type { MemoryAccount } from '@cairn/block-model/testing';
import { describe, expect, test } from '@jest/globals';
import { TrieState } from '../block/trie-state.fixture.ts';
import { createEngine } from '../engine/create-engine.ts';
import { alice, contract, other, testHeader, testSpec } from '../test-chain.fixture.ts';
import { simulate } from './simulate.ts';
import type { SimulatedBlock, Simulation } from './simulation.ts';

// Expected results are those of geth 1.17.5.
const nonceMax = 2n ** 64n - 1n;
const withdrawalQueue: Hex = '0x00000961ef480eb55e80d19ad83579a64c007002';
const beaconRoots: Hex = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02';

interface Options extends Partial<Simulation> {
  readonly spec?: ChainSpec;
  readonly accounts?: Readonly<Record<Hex, MemoryAccount>>;
}

async function run(blocks: readonly SimulatedBlock[], { spec = testSpec, accounts = {}, ...options }: Options = {}) {
  const state = await TrieState.of(accounts);
  return await simulate({
    spec,
    header: testHeader,
    state: state.view(),
    stateRoots: state,
    blockHashes: () => undefined,
    engine: createEngine('interpreter'),
    simulation: { ...options, blocks },
  });
}

const code = (bytes: Hex) => new Map([[contract, { code: bytes }]]);
const call = { from: alice, to: contract } as const;

test('a nonce of 2^64-1 wraps to 0 for the next transaction', async () => {
  const stateOverrides = new Map([[alice, { nonce: nonceMax }]]);
  const [block] = await run([{ stateOverrides, calls: [call, call] }], { returnFullTransactions: true });
  expect(block).toMatchObject({ transactions: [{ nonce: '0xffffffffffffffff' }, { nonce: '0x0' }] });
});

test('a nonce of 2^64-1 is refused with validation', async () => {
  const stateOverrides = new Map([[alice, { nonce: nonceMax }]]);
  await expect(run([{ stateOverrides, calls: [call] }], { validation: true })).rejects.toMatchObject({
    code: 'CALL_NONCE_SPENT',
    message: expect.stringMatching(
      /^err: nonce has max value: address 0x\w{40}, nonce: 18446744073709551615 \(supplied/,
    ),
  });
});

describe('forks', () => {
  const { spec } = parseGethGenesis('late', {
    config: {
      ...('genesis' in testSpec ? testSpec.genesis.config : {}),
      chainId: 1337,
      cancunTime: 5_000,
      pragueTime: 5_000,
      osakaTime: 5_000,
    },
    ...{ nonce: '0x0', timestamp: '0x0', extraData: '0x', gasLimit: '0x1c9c380', difficulty: '0x0', alloc: {} },
  });
  const tload: Hex = '0x5f5c5f5260205ff3';

  test('depend on the time of each block, in its header and in its code', async () => {
    const [before, after] = await run(
      [
        { blockOverrides: { time: 4_999n }, stateOverrides: code(tload), calls: [call] },
        { blockOverrides: { time: 5_000n }, calls: [call] },
      ],
      { spec },
    );
    expect(before).toMatchObject({ calls: [{ status: '0x0', error: { message: 'invalid opcode: TLOAD' } }] });
    expect(before).not.toHaveProperty('blobGasUsed');
    expect(after).toMatchObject({ calls: [{ status: '0x1' }], blobGasUsed: '0x0', requestsHash: expect.anything() });
  });

  test('after the merge apply to the header but not to code if the difficulty is raised', async () => {
    const [block] = await run([{ blockOverrides: { difficulty: 1n }, stateOverrides: code('0x5f00'), calls: [call] }]);
    expect(block).toMatchObject({
      calls: [{ error: { message: 'invalid opcode: PUSH0' } }],
      withdrawalsRoot: expect.anything(),
    });
  });
});

describe('system calls', () => {
  test("make the simulation fail with geth's message if they fail", async () => {
    const stateOverrides = new Map([[withdrawalQueue, { code: '0x5f5ffd' as Hex }]]);
    await expect(run([{ stateOverrides, calls: [] }])).rejects.toMatchObject({
      code: 'SIMULATION_SYSTEM_CALL_FAILED',
      message: 'failed to process withdrawal queue: system call failed to execute: execution reverted',
    });
  });

  test('for the beacon root can fail without effect', async () => {
    const stateOverrides = new Map([[beaconRoots, { code: '0xfe' as Hex }]]);
    await expect(run([{ stateOverrides, calls: [] }])).resolves.toHaveLength(1);
  });

  test('report a malformed deposit', async () => {
    const topic = '649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5';
    const depositContract: Hex = '0x00000000219ab540356cbb839cbe05303d7705fa';
    const stateOverrides = new Map([[depositContract, { code: `0x7f${topic}60205fa1` as Hex }]]);
    await expect(run([{ stateOverrides, calls: [{ from: alice, to: depositContract }] }])).rejects.toMatchObject({
      message: 'failed to parse deposit logs: unable to parse deposit data: deposit wrong length: want 576, have 32',
    });
  });
});

describe('logs', () => {
  // One log of a reverted call, and one that is kept.
  const accounts: Readonly<Record<Hex, MemoryAccount>> = {
    [other]: { code: '0x5f5fa05f5ffd' },
    [contract]: { code: `0x5f5f5f5f5f73${other.slice(2)}5af15f5fa000` },
    [alice]: { balance: 10n },
  };

  test.each([false, true])('count reverted ones in their indexes, with traceTransfers %s', async (traceTransfers) => {
    const [block] = await run([{ calls: [call, call] }], { accounts, traceTransfers });
    const stayed = (logIndex: string) => ({ logs: [{ address: contract, topics: [], data: '0x', logIndex }] });
    expect(block).toMatchObject({ calls: [stayed('0x1'), stayed('0x3')] });
  });

  test.each([
    [false, '0x2'],
    [true, '0x3'],
  ])(
    'count those of system calls, and their transfers where those are traced: %s',
    async (traceTransfers, logIndex) => {
      const code: Hex = `0x5f5f5f5f600173${alice.slice(2)}5af15f5fa0`;
      const stateOverrides = new Map([[beaconRoots, { code, balance: 1n }]]);
      const [block] = await run([{ stateOverrides, calls: [call] }], { accounts, traceTransfers });
      expect(block).toMatchObject({ calls: [{ logs: [{ logIndex }] }] });
    },
  );
});

test('a call that exceeds the block gas limit reports remaining and required gas', async () => {
  const blocks = [{ blockOverrides: { gasLimit: 30_000n }, calls: [call, { ...call, gas: 21_000n }] }];
  await expect(run(blocks, { accounts: { [contract]: { code: '0x00' } } })).rejects.toMatchObject({
    code: 'SIMULATION_GAS_EXCEEDED',
    message: 'block gas limit reached: remaining: 9000, required: 21000',
  });
});

test('more calls than geth accepts are refused before the first one runs', async () => {
  await expect(run([{ calls: Array(5_001).fill(call) }])).rejects.toMatchObject({
    code: 'SIMULATION_TOO_LONG',
    message: 'too many calls in block: 5001 > 5000',
  });
  await expect(run(Array(3).fill({ calls: Array(4_000).fill(call) }))).rejects.toThrow('too many calls: 12000 > 10000');
});

test('a legacy transaction has the chain id that geth derives without a signature', async () => {
  const [block] = await run([{ calls: [{ ...call, gasPrice: 0n }] }], { returnFullTransactions: true });
  expect(block).toMatchObject({ transactions: [{ type: '0x0', chainId: '0x7fffffffffffffee' }] });
});

test('an override of storage creates the account', async () => {
  const slot: Hex = `0x${'00'.repeat(32)}`;
  const word: Hex = `0x${'11'.repeat(32)}`;
  const root = async (override: { readonly stateDiff?: ReadonlyMap<Hex, Hex> }) =>
    (await run([{ stateOverrides: new Map([[other, override]]), calls: [] }]))[0]?.stateRoot;
  expect(await root({ stateDiff: new Map([[slot, word]]) })).not.toBe(await root({}));
});
