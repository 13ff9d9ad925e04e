// balanceOf over the content cache and over an imported chain: the same contract and the same calls, alternately. Then 1,000 concurrent
// calls of distinct contracts with an empty cache.
//   npm run bench
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesFromHex, type ChainSpec, type Header, type Hex, parseGethGenesis } from '@cairn/block-model';
import { importChain, openChainStore } from '@cairn/chain-store';
import { createBlockRunner } from '@cairn/evm-executor';
import { type CallPool, createCallPool } from '@cairn/evm-executor/pool';
import { LmdbContentCache } from '@cairn/proven-state';
import { createUpstreamPool } from '@cairn/upstream';
import { startChainNode } from './chain-node.fixture.ts';
import { ProvenBlocks, ProvenCalls } from './index.ts';
import { mappingSlot, StateChain, word } from './state-chain.fixture.ts';
import { StoreNode } from './store-node.fixture.ts';

const roundsMeasured = 6;
const callsPerRound = 4_000;
const clients = 32;
const sender: Hex = `0x${'5e'.repeat(20)}`;
const token: Hex = `0x${'70'.repeat(20)}`;
const tokenCode: Hex = '0x6004355f525f60205260405f20545f5260205ff3';
const holders = 500;
const home = mkdtempSync(join(tmpdir(), 'proven-bench-'));
const forks = 'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul berlin london mergeNetsplit';
const genesis = {
  config: {
    chainId: 1,
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    ...Object.fromEntries(forks.split(' ').map((fork) => [`${fork}Block`, 0])),
  },
  nonce: '0x0',
  timestamp: '0x0',
  gasLimit: '0x1c9c380',
  difficulty: '0x0',
  alloc: {
    [sender]: { balance: '0xde0b6b3a7640000' },
    [token]: {
      balance: '0x0',
      code: tokenCode,
      storage: Object.fromEntries(
        Array.from({ length: holders }, (_, holder) => [mappingSlot(holder, 0), word(holder + 1)]),
      ),
    },
  },
};
const balanceOf = (holder: number): Hex => `0x70a08231${word(holder % holders).slice(2)}`;

/** Opens a cache over a node. */
async function openProven(url: string, name: string) {
  const directory = join(home, name);
  const cache = await LmdbContentCache.open({ directory, bytesMax: 1024 ** 3 });
  const limits = { attemptMs: 60_000, deadlineMs: 60_000 };
  const upstreams = createUpstreamPool({ chainId: 1n, upstreams: [url], limits });
  const blocks = new ProvenBlocks({ pool: upstreams, cache });
  const { source, fetch, learn } = new ProvenCalls({ blocks, directory });
  const close = async () => {
    await upstreams.close();
    await cache.close();
  };
  return {
    chain: { source, fetch, learn },
    trust: ({ hash, raw }: Header) => cache.put(bytesFromHex(hash), raw),
    close,
  };
}

async function rateOf(pool: CallPool, chain: string, blockHash: Hex): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < callsPerRound) {
        const call = { from: sender, to: token, data: balanceOf(next++) };
        const { kind } = await pool.execute({ chain, blockHash, call }, { timeoutMs: 60_000 });
        if (kind !== 'success') throw new Error(`${chain}: ${kind}`);
      }
    }),
  );
  return (callsPerRound / (performance.now() - startedAt)) * 1_000;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number;

async function warm(): Promise<void> {
  const store = await openChainStore({ directory: join(home, 'local') });
  const file = join(home, 'genesis.json');
  writeFileSync(file, JSON.stringify(genesis));
  await importChain({ store, name: 'bench', genesis: file, files: [], runner: createBlockRunner() });
  const node = await startChainNode(new StoreNode(store));
  const proven = await openProven(node.url, 'warm');
  const spec: ChainSpec = parseGethGenesis('bench', genesis).spec;
  const local = {
    moduleUrl: import.meta.resolve('@cairn/chain-store'),
    exportName: 'openChainStore',
    options: { directory: join(home, 'local') },
  };
  const chains = { proven: { spec, ...proven.chain }, local: { spec, source: local } };
  for (const [name, inlineGasMax] of [
    ['workers', 0],
    ['inline', 50_000],
  ] as const) {
    const pool = await createCallPool({ chains, inlineGasMax });
    const rates = { proven: [] as number[], local: [] as number[] };
    for (let round = 0; round <= roundsMeasured; round++)
      for (const chain of round % 2 ? (['proven', 'local'] as const) : (['local', 'proven'] as const)) {
        const rate = await rateOf(pool, chain, store.head.hash);
        // The first round fills the caches.
        if (round > 0) rates[chain].push(rate);
      }
    const ratios = rates.proven.map((rate, i) => rate / (rates.local[i] as number));
    const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
    console.log(
      `${name.padEnd(8)} proven ${median(rates.proven).toFixed(0)}, imported ${median(rates.local).toFixed(0)} calls/s, ` +
        `ratio ${median(ratios).toFixed(2)} (${low} to ${high})`,
    );
    await pool.close();
  }
  await proven.close();
  await node.stop();
  await store.close();
}

/** Resident memory by kind; Linux only. Mapped pages of files, such as those of the cache, can be dropped at any time. */
function memory(): string {
  const status = readFileSync('/proc/self/status', 'utf8');
  const mib = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return `resident memory: ${mib('RssAnon')} MiB of its own, ${mib('RssFile')} MiB of mapped files`;
}

async function cold(): Promise<void> {
  const contracts = Array.from({ length: 1_000 }, (_, n): Hex => `0x${(0xf00000 + n).toString(16).padStart(40, '0')}`);
  const slots = { [mappingSlot(1, 0)]: 7 };
  const chain = new StateChain();
  chain.add(Object.fromEntries(contracts.map((address) => [address, { code: tokenCode, slots }])));
  const node = await startChainNode(chain);
  const proven = await openProven(node.url, 'cold');
  proven.trust(chain.head);
  const { spec } = parseGethGenesis('bench', genesis);
  const pool = await createCallPool({ chains: { proven: { spec, ...proven.chain } }, inlineGasMax: 50_000 });
  const startedAt = performance.now();
  const blockHash = chain.head.hash;
  await Promise.all(
    contracts.map((to) =>
      pool.execute(
        { chain: 'proven', blockHash, call: { from: sender, to, data: balanceOf(1) } },
        { timeoutMs: 60_000 },
      ),
    ),
  );
  const calls = node.rounds.flat().length;
  console.log(
    `1,000 cold calls of distinct contracts: ${(performance.now() - startedAt).toFixed(0)} ms, ${calls} upstream calls`,
  );
  console.log(memory());
  await pool.close();
  await proven.close();
  await node.stop();
}

await warm();
await cold();
rmSync(home, { recursive: true });
