import { bytesFromHex, type Hex, hexFromBytes, knownChainSpec, type Log } from '@cairn/block-model';
import { MemoryContentCache, runOverState } from '@cairn/proven-state';
import { createUpstreamPool, type UpstreamAnswer, type UpstreamEvent, type UpstreamPool } from '@cairn/upstream';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Lie, lies } from '../../../tools/peers/lies.mjs';
import { type LyingProxy, startLyingProxy } from '../../../tools/peers/lying-proxy.mjs';
import { TestChain } from './chain-node.fixture.ts';
import { AncestorIndex, ProvenBlocks, ProvenChain, provenLogs } from './index.ts';

const token: Hex = `0x${'aa'.repeat(20)}`;
const contract: Hex = `0x${'cc'.repeat(20)}`;
const absent: Hex = `0x${'dd'.repeat(20)}`;
const word = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;
const log = (data: Hex): Log => ({ address: token, topics: [word(1)], data });
const chain = new TestChain({
  length: 600,
  withHistory: true,
  transactionsMin: 3,
  logs: { 540: [log('0x1234')], 560: [log('0x56'), log('0x78')] },
  accounts: {
    [contract]: {
      balance: 5,
      code: '0x6001600255',
      slots: { [word(1)]: '0x11', [word(2)]: '0x22', [word(3)]: '0x33' },
    },
    [token]: { balance: 7, code: '0x', slots: {} },
  },
});
const logged = chain.at(560);
const transactions = chain.blocks[560]?.block.transactions ?? [];

/** Reads every kind of content of a chain: blocks, receipts, places, ancestors, logs, accounts, code and slots. */
async function readAll(pool: UpstreamPool) {
  const cache = new MemoryContentCache({ bytesMax: 32 * 1024 * 1024 });
  const blocks = new ProvenBlocks({ pool, cache });
  const provenChain = new ProvenChain({
    spec: knownChainSpec('mainnet', 'mainnet'),
    blocks,
    heads: () => ({ latest: chain.head }),
  });
  const slots = [word(1), word(2), word(9)].map(bytesFromHex);
  const read = provenChain.run((reader) => {
    const state = reader.stateAt(chain.head.hash);
    const accounts = [contract, token, absent].map((name) => state?.getAccount(bytesFromHex(name)));
    const values = slots.map((slot) =>
      hexFromBytes(state?.getStorage(bytesFromHex(contract), slot) ?? new Uint8Array(0)),
    );
    const code = accounts[0] && hexFromBytes(state?.getCode(accounts[0].codeHash) ?? new Uint8Array(0));
    const proof = reader.proof(chain.head.hash, bytesFromHex(contract), slots)?.slots.length;
    const block = reader.block(logged.hash);
    const receipts = reader.receipts(logged.hash)?.map(({ logs, status }) => [status, logs.length]);
    const second = transactions[1]?.hash as Hex;
    return {
      accounts: accounts.map((account) => account && [account.nonce, account.balance]),
      values,
      code,
      proof,
      block: [block?.header.hash, block?.transactions.map(({ hash }) => hash), block?.withdrawals],
      receipts,
      place: reader.transactionPlace(second),
      near: reader.hashByNumber(550n),
      far: reader.hashByNumber(20n),
      heights: reader.heightsWithLogs([{ field: 'address', values: [token] }], { from: 500n, to: 599n }),
    };
  });
  const ancestors = new AncestorIndex(blocks);
  const query = { from: 500n, to: 599n, addresses: [token] };
  const logs = provenLogs({ blocks, ancestors }, chain.head, query);
  const block = { hash: chain.head.hash, number: chain.head.number, stateRoot: bytesFromHex(chain.head.stateRoot) };
  const run = runOverState(block, (state) => state.getStorage(bytesFromHex(contract), bytesFromHex(word(3))), {
    pool,
    cache,
  });
  const [reads, found, { value }] = await Promise.all([read, logs, run]);
  return { reads, logs: found.map(({ log: { data }, logIndex }) => [data, logIndex]), value: hexFromBytes(value) };
}

const pools: UpstreamPool[] = [];
let liar: LyingProxy;
let honest: LyingProxy;
let truth: Awaited<ReturnType<typeof readAll>>;
const events: UpstreamEvent[] = [];

function open(urls: readonly string[], deadlineMs = 20_000): UpstreamPool {
  events.length = 0;
  // Times are shorter than in production, so that the slow lies take seconds, not minutes.
  const pool = createUpstreamPool({
    chainId: 1n,
    upstreams: urls,
    limits: { attemptMs: 1500, deadlineMs },
    onEvent: (event) => events.push(event),
  });
  pools.push(pool);
  return pool;
}
const isolated = () => events.filter((event) => event.type === 'isolated');

beforeAll(async () => {
  const upstream = (method: string, params: readonly unknown[]) =>
    method === 'eth_chainId' ? '0x1' : method === 'eth_subscribe' ? '0x5' : chain.answer(method, params);
  // The liar is faster, so that the pool prefers it.
  [liar, honest] = await Promise.all([startLyingProxy({ upstream }), startLyingProxy({ upstream, delayMs: 20 })]);
  truth = await readAll(open([honest.url]));
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  liar.lie = undefined;
});
afterAll(async () => {
  await Promise.all([liar.stop(), honest.stop()]);
});

test('the reads of an honest upstream are the content of the chain', () => {
  expect(truth).toMatchObject({
    reads: {
      accounts: [[1n, 5n], [1n, 7n], undefined],
      values: ['0x11', '0x22', '0x'],
      code: '0x6001600255',
      near: chain.at(550).hash,
      far: chain.at(20).hash,
      heights: [540n, 560n],
    },
    value: '0x33',
    logs: [
      ['0x1234', 0],
      ['0x56', 0],
      ['0x78', 1],
    ],
  });
});

test('there are at least 60 kinds of lies with different names', () => {
  expect(new Set(lies.map(({ name }) => name)).size).toBe(lies.length);
  expect(lies.length).toBeGreaterThanOrEqual(60);
});

// Content is read from both transports in the same way, so one lie about each is enough over WebSocket.
const isFirstOf = (lie: Lie) => lies.find(({ about }) => about === lie.about) === lie;
const overWebSocket = lies.filter((lie) => lie.about === 'protocol' || lie.about === 'transport' || isFirstOf(lie));

describe.each([
  ['http', lies],
  ['ws', overWebSocket],
] as const)('a liar over %s and an honest upstream', (scheme, kinds) => {
  test.each(kinds.map((lie) => [`${lie.about}: ${lie.name}`, lie] as const))('%s', async (_, lie: Lie) => {
    liar.lie = lie;
    const url = scheme === 'http' ? liar.url : liar.webSocketUrl;
    expect(await readAll(open([url, honest.url]))).toEqual(truth);
  });
});

describe('a liar alone', () => {
  const provable = lies.filter(({ isProvable }) => isProvable === true);
  test.each(provable.map((lie) => [`${lie.about}: ${lie.name}`, lie] as const))(
    '%s isolates it with evidence',
    async (_, lie: Lie) => {
      liar.lie = lie;
      const before = liar.lied;
      const pool = open([liar.url], 3000);
      if (lie.isHead !== true) await expect(readAll(pool)).rejects.toMatchObject({ code: 'UPSTREAMS_UNAVAILABLE' });
      else await readAll(pool).catch(() => undefined);
      expect(liar.lied).toBeGreaterThan(before);
      expect(isolated()).toHaveLength(1);
      expect(isolated()[0]).toMatchObject({ reason: expect.any(String), evidence: { params: expect.any(String) } });
      expect(JSON.stringify(isolated()[0]).length).toBeLessThan(80_000);
    },
  );

  const others = lies.filter(({ isProvable }) => isProvable !== true);
  test.each(others.map((lie) => [`${lie.about}: ${lie.name}`, lie] as const))(
    '%s leads to the truth or to an error',
    async (_, lie: Lie) => {
      liar.lie = lie;
      const before = liar.lied;
      const outcome = await readAll(open([liar.url], 800)).catch((error: { code?: unknown }) => error.code);
      expect(liar.lied).toBeGreaterThan(before);
      if (typeof outcome === 'string') expect(outcome).toMatch(/^UPSTREAM|_UNPROVEN$/);
      else if (lie.withholds) expect(outcome).toEqual({ ...truth, reads: { ...truth.reads, place: undefined } });
      else expect(outcome).toEqual(truth);
    },
  );
});

test('endless answers to many requests keep memory bounded', async () => {
  liar.lie = lies.find(({ name }) => name === 'endless list');
  const pool = open([liar.url, honest.url]);
  await pool.request({ method: 'eth_getCode', params: [token, 'latest'], parse: (result) => result });
  const before = process.memoryUsage().rss;
  let most = before;
  const reads: Promise<UpstreamAnswer<unknown>>[] = [];
  for (let i = 0; i < 64; i++) {
    const params = [`0x${i.toString(16).padStart(40, '0')}`, { blockHash: chain.head.hash }];
    reads.push(pool.request({ method: 'eth_getCode', params, parse: (result) => result }));
    // Calls of different turns do not share a request.
    await new Promise((resolve) => setTimeout(resolve, 5));
    most = Math.max(most, process.memoryUsage().rss);
  }
  const found = await Promise.all(reads);
  most = Math.max(most, process.memoryUsage().rss);
  expect(found.map(({ value }) => value)).toEqual(new Array(64).fill('0x'));
  expect(most - before).toBeLessThan(512 * 1024 * 1024);
});
