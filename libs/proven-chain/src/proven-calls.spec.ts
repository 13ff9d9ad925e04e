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
  const upstreams: UpstreamPool = createUpstreamPool({ chainId: 1n, upstreams: [node.url] });
  closers.push(() => upstreams.close());
  const directory = mkdtempSync(join(tmpdir(), 'proven-calls-'));
  closers.push(() => rmSync(directory, { recursive: true }));
  const cache = await LmdbContentCache.open({ directory, bytesMax: 64 * 1024 * 1024 });
  closers.push(() => cache.close());
  // The head comes from a source that is trusted, and is cached.
  const learnHead = ({ hash, raw }: Header) => cache.put(bytesFromHex(hash), raw);
  learnHead(chain.head);
  await cache.flush();
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
  return { pool, node, learnHead, cache };
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
