import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesFromHex, type Header, type Hex, parseGethGenesis } from '@cairn/block-model';
import { type CallJob, type CallPool, type CallPoolOptions, createCallPool } from '@cairn/evm-executor/pool';
import { LmdbContentCache } from '@cairn/proven-state';
import { createUpstreamPool, type UpstreamPool } from '@cairn/upstream';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type AnsweringChain, startChainNode } from './chain-node.fixture.ts';
import { ProvenBlocks, ProvenCalls } from './index.ts';
import { mappingSlot, miner, type StateAccount, StateChain, word } from './state-chain.fixture.ts';

const sourceUrl = new URL('../dist/source.js', import.meta.url);
const workerUrl = new URL('../../evm-executor/dist/pool/worker.js', import.meta.url);
const { spec } = parseGethGenesis('test', {
  config: { chainId: 1, terminalTotalDifficulty: 0, shanghaiTime: 0, ...londonFromGenesis() },
  nonce: '0x0',
  timestamp: '0x0',
  gasLimit: '0x1c9c380',
  difficulty: '0x0',
  alloc: {},
});

function londonFromGenesis() {
  const forks =
    'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul berlin london mergeNetsplit';
  return Object.fromEntries(forks.split(' ').map((fork) => [`${fork}Block`, 0]));
}

const sender: Hex = `0x${'5e'.repeat(20)}`;
const token: Hex = `0x${'70'.repeat(20)}`;
/** Returns balances[address], a mapping in slot 0, for balanceOf. */
const tokenCode: Hex = '0x6004355f525f60205260405f20545f5260205ff3';
const holder = 0x1111;
const balanceOf = (of: number): Hex => `0x70a08231${word(of).slice(2)}`;

const accounts: Readonly<Record<Hex, StateAccount>> = {
  [sender]: { balance: 10n ** 18n },
  [miner]: { balance: 1n },
  [token]: { code: tokenCode, slots: { [mappingSlot(holder, 0)]: 77, [mappingSlot(holder + 1, 0)]: 78 } },
};

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function setUp<Chain extends AnsweringChain & { readonly head: Header }>(
  chain: Chain,
  options: Partial<CallPoolOptions> = {},
) {
  const node = await startChainNode(chain);
  closers.push(() => node.stop());
  const directory = mkdtempSync(join(tmpdir(), 'proven-calls-'));
  closers.push(() => rmSync(directory, { recursive: true }));
  const opened = await open(directory, node.url, options);
  // The head comes from a source that is trusted, and is cached.
  const learnHead = ({ hash, raw }: Header) => opened.cache.put(bytesFromHex(hash), raw);
  learnHead(chain.head);
  return { ...opened, node, learnHead, directory };
}

async function open(directory: string, url: string, options: Partial<CallPoolOptions> = {}) {
  const upstreams: UpstreamPool = createUpstreamPool({
    chainId: 1n,
    upstreams: [url],
    // The machine may be busy, and no test is about time.
    limits: { attemptMs: 60_000, deadlineMs: 120_000 },
  });
  closers.push(() => upstreams.close());
  const cache = await LmdbContentCache.open({ directory, bytesMax: 64 * 1024 * 1024 });
  closers.push(() => cache.close());
  const blocks = new ProvenBlocks({ pool: upstreams, cache });
  const calls = new ProvenCalls({ blocks, directory, sourceUrl });
  const { source, fetch, learn } = calls;
  const pool: CallPool = await createCallPool({
    chains: { test: { spec, source, fetch, learn } },
    workers: 1,
    workerUrl,
    timeoutMs: 60_000,
    ...options,
  });
  closers.push(() => pool.close());
  return { pool, blocks, cache };
}

const job = (header: Header, data: Hex, to: Hex = token): CallJob => ({
  chain: 'test',
  blockHash: header.hash,
  call: { from: sender, to, data },
});

describe.each([
  ['workers', {}],
  ['the calling thread', { inlineGasMax: 50_000 }],
])('proven calls in %s', (_, options) => {
  test('a first balanceOf needs two rounds, a repeated one none, and the next block one', async () => {
    const chain = new StateChain();
    chain.add(accounts);
    const { pool, node, learnHead } = await setUp(chain, options);
    expect(await pool.execute(job(chain.head, balanceOf(holder)))).toMatchObject({ output: word(77) });
    expect(node.rounds).toHaveLength(2);
    const cold = node.rounds.length;
    expect(await pool.execute(job(chain.head, balanceOf(holder)))).toMatchObject({ output: word(77) });
    expect(node.rounds).toHaveLength(cold);
    learnHead(chain.add({ ...accounts, [`0x${'99'.repeat(20)}`]: { balance: 5n } }));
    expect(await pool.execute(job(chain.head, balanceOf(holder)))).toMatchObject({ output: word(77) });
    expect(node.rounds).toHaveLength(cold + 1);
    // Another holder: its slot is a function of the argument.
    learnHead(chain.add({ ...accounts, [`0x${'99'.repeat(20)}`]: { balance: 6n } }));
    expect(await pool.execute(job(chain.head, balanceOf(holder + 1)))).toMatchObject({ output: word(78) });
    expect(node.rounds).toHaveLength(cold + 2);
    expect(node.rounds.flat()).not.toContain('eth_getBlockByNumber');
  });
});

/** Code that adds slots of its own: SLOAD of each, ADD, and the sum as the result. */
function summing(slots: number): string {
  const reads = Array.from({ length: slots }, (_, slot) => `60${slot.toString(16).padStart(2, '0')}5401`).join('');
  return `5f${reads}`;
}

describe('a call over several contracts', () => {
  const parts = [1, 2, 3, 4].map((n): Hex => `0x${`c${n}`.repeat(20)}`);
  const main: Hex = `0x${'c0'.repeat(20)}`;
  const slots = Object.fromEntries(Array.from({ length: 6 }, (_, slot) => [word(slot), slot + 1]));
  // Calls each part with STATICCALL, adds its result to the sum, and returns the sum.
  const calls = parts.map((part) => `60205f5f5f73${part.slice(2)}5afa505f5101`).join('');
  const world: Readonly<Record<Hex, StateAccount>> = {
    ...accounts,
    [main]: { code: `0x${summing(6)}${calls}5f5260205ff3`, slots },
    ...Object.fromEntries(parts.map((part) => [part, { code: `0x${summing(6)}5f5260205ff3`, slots }])),
  };

  test('that reads 30 slots in 5 contracts needs at most three rounds', async () => {
    const chain = new StateChain();
    chain.add(world);
    const { pool, node, learnHead } = await setUp(chain);
    expect(await pool.execute(job(chain.head, '0x12345678', main))).toMatchObject({ output: word(5 * 21) });
    expect(node.rounds.length).toBeLessThanOrEqual(3);
    const cold = node.rounds.length;
    learnHead(chain.add({ ...world, [`0x${'99'.repeat(20)}`]: { balance: 5n } }));
    expect(await pool.execute(job(chain.head, '0x12345678', main))).toMatchObject({ output: word(5 * 21) });
    expect(node.rounds).toHaveLength(cold + 1);
  });
});

test('1,000 concurrent calls of distinct contracts request each account, node and code once', async () => {
  const contracts = Array.from({ length: 1_000 }, (_, n): Hex => `0x${(0xf00000 + n).toString(16).padStart(40, '0')}`);
  const chain = new StateChain();
  chain.add({
    ...accounts,
    ...Object.fromEntries(
      contracts.map((address, n) => [address, { code: tokenCode, slots: { [mappingSlot(holder, 0)]: n + 1 } }]),
    ),
  });
  const requested: string[] = [];
  const counting = {
    head: chain.head,
    answer(method: string, params: readonly unknown[]) {
      if (method !== 'eth_createAccessList' && params[0] !== 'latest')
        requested.push(`${method} ${params[0]} ${params[1]}`);
      return chain.answer(method, params);
    },
  };
  const { pool } = await setUp(counting, { inlineGasMax: 50_000 });
  const results = await Promise.all(
    contracts.map((to) => pool.execute(job(chain.head, balanceOf(holder), to), { timeoutMs: 300_000 })),
  );
  expect(results.map((result) => result.kind === 'success' && BigInt(result.output))).toEqual(
    contracts.map((_, n) => BigInt(n + 1)),
  );
  const counts = new Map<string, number>();
  for (const name of requested) counts.set(name, (counts.get(name) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > 1)).toEqual([]);
  const accountReads = requested.filter((name) => name.startsWith(`eth_getProof ${sender}`));
  expect(accountReads).toHaveLength(1);
});

test('a program that starts with a full cache needs no requests', async () => {
  const chain = new StateChain();
  chain.add(accounts);
  const first = await setUp(chain);
  await first.pool.execute(job(chain.head, balanceOf(holder)));
  await first.blocks.block(chain.head.hash);
  const { directory, node } = first;
  await first.pool.close();
  await first.cache.close();
  const rounds = node.rounds.length;
  const again = await open(directory, node.url);
  expect(await again.pool.execute(job(chain.head, balanceOf(holder)))).toMatchObject({ output: word(77) });
  expect((await again.blocks.block(chain.head.hash)).header.hash).toBe(chain.head.hash);
  expect(node.rounds).toHaveLength(rounds);
});

test('a run that reads without end is refused', async () => {
  const endless: Hex = `0x${'ee'.repeat(20)}`;
  const chain = new StateChain();
  // Reads slot after slot: PUSH0, JUMPDEST, DUP1, SLOAD, POP, PUSH1 1, ADD, PUSH1 1, JUMP.
  chain.add({ ...accounts, [endless]: { code: '0x5f5b80545060010160015600' } });
  const { pool } = await setUp(chain, { gasCapMultiplier: 1_000 });
  await expect(pool.execute(job(chain.head, '0x', endless), { timeoutMs: 20_000 })).rejects.toMatchObject({
    code: expect.stringMatching(/^(STATE_READS_EXCEEDED|EXECUTION_TIMEOUT)$/),
  });
});
