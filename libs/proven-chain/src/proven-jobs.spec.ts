// Jobs over proven state have the results of an imported chain. They run when the directory of conformance cases exists beside the
// checkout.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainSpec, Header, Hex } from '@cairn/block-model';
import { conformanceDirectory, hasConformanceCases } from '@cairn/block-model/testing';
import { type ChainStore, importChain, openChainStore } from '@cairn/chain-store';
import { createBlockRunner, parseSimulation, parseTraceOptions } from '@cairn/evm-executor';
import { type CallPool, createCallPool, type ExecutionJob } from '@cairn/evm-executor/pool';
import { LmdbContentCache } from '@cairn/proven-state';
import { createUpstreamPool, type UpstreamPool } from '@cairn/upstream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startChainNode } from './chain-node.fixture.ts';
import { ProvenBlocks, ProvenCalls } from './index.ts';
import { StoreNode } from './store-node.fixture.ts';

const conformanceTest = hasConformanceCases ? test : test.skip;
const workerUrl = new URL('../../evm-executor/dist/pool/worker.js', import.meta.url);
const patient = { timeoutMs: 60_000 };

let home: string;
let store: ChainStore;
let upstreams: UpstreamPool;
let pool: CallPool;
const closers: (() => Promise<unknown> | unknown)[] = [];

beforeAll(async () => {
  if (!hasConformanceCases) return;
  home = mkdtempSync(join(tmpdir(), 'proven-jobs-'));
  closers.push(() => rmSync(home, { recursive: true }));
  store = await openChainStore({ directory: join(home, 'local') });
  closers.push(() => store.close());
  const at = (name: string) => join(conformanceDirectory, 'execution-apis', name);
  const files = [at('chain.rlp')];
  await importChain({ store, name: 'hive', genesis: at('genesis.json'), files, runner: createBlockRunner() });
  const node = await startChainNode(new StoreNode(store));
  closers.push(() => node.stop());
  upstreams = createUpstreamPool({ chainId: 1n, upstreams: [node.url] });
  closers.push(() => upstreams.close());
  const directory = join(home, 'cache');
  const cache = await LmdbContentCache.open({ directory, bytesMax: 64 * 1024 * 1024 });
  closers.push(() => cache.close());
  const blocks = new ProvenBlocks({ pool: upstreams, cache });
  const sourceUrl = new URL('../dist/source.js', import.meta.url);
  const { source, fetch, learn } = new ProvenCalls({ blocks, directory, sourceUrl });
  const moduleUrl = new URL('../../chain-store/dist/index.js', import.meta.url).href;
  const local = { moduleUrl, exportName: 'openChainStore', options: { directory: join(home, 'local') } };
  const spec = store.spec as ChainSpec;
  pool = await createCallPool({
    chains: { proven: { spec, source, fetch, learn }, local: { spec, source: local } },
    workers: 1,
    workerUrl,
  });
  closers.push(() => pool.close());
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

function headers(): Header[] {
  return Array.from({ length: Number(store.head.number) + 1 }, (_, number) => {
    const hash = store.hashByNumber(BigInt(number)) as Hex;
    return store.header(hash) as Header;
  });
}

/** Result or error code of a job on both chains. */
async function both(job: ExecutionJob): Promise<readonly [unknown, unknown]> {
  const run = (chain: string) =>
    pool.execute({ ...job, chain }, patient).catch((error) => ({ code: error.code, message: error.message }));
  return [await run('proven'), await run('local')];
}

conformanceTest('traces of every block are those of the imported chain', async () => {
  const options = parseTraceOptions({ tracer: 'callTracer' });
  let traced = 0;
  for (const { hash } of headers().slice(1)) {
    const [proven, local] = await both({ kind: 'traceBlock', chain: '', blockHash: hash, options });
    expect(proven).toEqual(local);
    traced += (proven as { readonly json?: string }).json?.length ?? 0;
  }
  expect(traced).toBeGreaterThan(10_000);
});

conformanceTest('execution witnesses of every block are those of the imported chain', async () => {
  const unproven: bigint[] = [];
  for (const { hash, number } of headers().slice(1)) {
    const [proven, local] = await both({ kind: 'executionWitness', chain: '', blockHash: hash });
    if ((proven as { readonly code?: string }).code === 'STATE_NODE_UNPROVEN') unproven.push(number);
    else expect(proven).toEqual(local);
  }
  expect(unproven).toEqual([]);
});

conformanceTest('simulated blocks have the state roots of the imported chain', async () => {
  const { hash } = store.head;
  const from = '0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f';
  const calls = [
    { from, to: `0x${'12'.repeat(20)}`, value: '0x1' },
    { from, input: '0x600160005500' },
  ];
  const simulation = parseSimulation({
    blockStateCalls: [{ stateOverrides: { [from]: { balance: '0xffffffff' } }, calls }],
  });
  const [proven, local] = await both({ kind: 'simulate', chain: '', blockHash: hash, simulation });
  expect(proven).toEqual(local);
  expect(proven).toMatchObject({ kind: 'json' });
});
