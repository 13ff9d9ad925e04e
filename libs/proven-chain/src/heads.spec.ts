import type { Hex } from '@cairn/block-model';
import { MemoryContentCache } from '@cairn/proven-state';
import { createUpstreamPool, type UpstreamPool } from '@cairn/upstream';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Lie, startChainNode, TestChain } from './chain-node.fixture.ts';
import { type Attestation, ClaimedHeads, HeadTracker, ProvenBlocks } from './index.ts';

const chain = new TestChain({ length: 150 });
const short = (length: number) => new TestChain({ length, base: chain, forkAt: length });

type Node = Awaited<ReturnType<typeof startChainNode>>;
const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

async function track(chains: readonly TestChain[], attestation: (pool: UpstreamPool) => Attestation, lies: Lie[] = []) {
  const nodes = await Promise.all(chains.map((served, index) => startChainNode(served, lies[index])));
  const pool = createUpstreamPool({ chainId: 1n, upstreams: nodes.map(({ url }) => url), limits: { pollMs: 20 } });
  const blocks = new ProvenBlocks({ pool, cache: new MemoryContentCache({ bytesMax: 64 * 1024 * 1024 }) });
  const feed = new ClaimedHeads({ blocks, attestation: attestation(pool) });
  const tracker = new HeadTracker({ blocks, feed });
  closings.push(
    ...nodes.map(({ stop }) => stop),
    () => pool.close(),
    () => tracker.close(),
  );
  tracker.start();
  return { tracker, nodes };
}

/** Waits until the tracker has a head. */
const headIs = (tracker: HeadTracker, hash: Hex) => until(() => tracker.heads?.latest.hash === hash);

async function until(isTrue: () => boolean): Promise<void> {
  for (let round = 0; round < 1000 && !isTrue(); round++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isTrue()).toBe(true);
}

const quorum = (count: number) => () => ({ quorum: count });
const first = (pool: UpstreamPool) => ({ quorum: 1, among: [pool.states()[0]?.name ?? ''] });

describe('ClaimedHeads', () => {
  test('the head is the newest block that a quorum has', async () => {
    const { tracker, nodes } = await track([short(100), short(98), short(99)], quorum(2));
    await headIs(tracker, chain.at(98).hash);
    (nodes[1] as Node).chain = short(101);
    await headIs(tracker, chain.at(99).hash);
  });

  test('one upstream of three cannot move the head to a branch of its own', async () => {
    const fork = new TestChain({ length: 140, base: chain, forkAt: 90, seed: 7 });
    const { tracker, nodes } = await track([fork, short(100), short(100)], quorum(2));
    await headIs(tracker, chain.at(99).hash);
    (nodes[1] as Node).chain = short(102);
    (nodes[2] as Node).chain = short(102);
    await headIs(tracker, chain.at(101).hash);
  });

  test('a trusted upstream decides alone', async () => {
    const fork = new TestChain({ length: 120, base: chain, forkAt: 90, seed: 7 });
    const { tracker } = await track([fork, short(130)], first);
    await headIs(tracker, fork.head.hash);
  });

  test('safe and finalized come from the same upstreams', async () => {
    const tags: Lie = (method, params, result) =>
      method !== 'eth_getBlockByNumber' || !['safe', 'finalized'].includes(String(params[0]))
        ? result
        : chain.answer(method, [params[0] === 'safe' ? '0x50' : '0x40', false]);
    const { tracker } = await track([short(100), short(100)], quorum(2), [tags, tags]);
    await headIs(tracker, chain.at(99).hash);
    expect(tracker.heads?.safe?.number).toBe(80n);
    expect(tracker.heads?.finalized?.number).toBe(64n);
  });
});

describe('HeadTracker', () => {
  test.each([1, 100])('a reorg of %i blocks changes the head and signals it', async (depth) => {
    const fork = new TestChain({ length: 152, base: chain, forkAt: 150 - depth, seed: 7 });
    const { tracker, nodes } = await track([chain], first);
    await headIs(tracker, chain.head.hash);
    const seen: (Hex | undefined)[] = [];
    const stop = tracker.listen(() => seen.push(tracker.heads?.latest.hash));
    (nodes[0] as Node).chain = fork;
    await until(() => seen.at(-1) === fork.head.hash);
    stop();
    const count = seen.length;
    (nodes[0] as Node).chain = chain;
    await headIs(tracker, chain.head.hash);
    expect(seen).toHaveLength(count);
  });
});
