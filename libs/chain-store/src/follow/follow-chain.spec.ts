import { decodeBlock, type Header } from '@cairn/block-model';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type MadeChain, makeChain, type Step, temporaryDirectory } from '../chain.fixture.ts';
import { type ChainStore, openChainStore } from '../index.ts';
import { importChain, referenceRunner } from '../reference-import.fixture.ts';
import type { ExecutionNode } from './execution-node.ts';
import { type FollowEvent, followChain } from './follow-chain.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let store: ChainStore;
beforeEach(async () => {
  directory = temporaryDirectory();
  store = await openChainStore({ directory: `${directory.path}/store` });
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

const write = (value: number): Step[] => [{ kind: 'write', child: 0, slot: 1, value }];
const trunk: Step[][] = [[{ kind: 'create', child: 0 }], write(1)];

/** A node with a replaceable chain in memory. */
class MemoryNode implements ExecutionNode {
  #blocks: readonly Uint8Array[] = [];
  id = 4242n;
  finalized = 0n;
  fault: Error | undefined;

  show(chain: MadeChain): void {
    this.#blocks = chain.blocks;
  }

  readonly #listeners = new Set<() => void>();

  onHead(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Shows another chain and reports its head. */
  report(chain: MadeChain): void {
    this.show(chain);
    for (const listener of this.#listeners) listener();
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  async chainId(): Promise<bigint> {
    if (this.fault) throw this.fault;
    return this.id;
  }

  async header(block: bigint | 'latest' | 'safe' | 'finalized'): Promise<Header | undefined> {
    if (block === 0n) return store.header(store.genesisHash);
    const number =
      block === 'latest'
        ? this.#blocks.length
        : block === 'safe'
          ? 0
          : Number(block === 'finalized' ? this.finalized : block);
    const raw = this.#blocks[number - 1];
    return raw && decodeBlock(raw).header;
  }

  async block(number: bigint): Promise<Uint8Array> {
    const raw = this.#blocks[Number(number) - 1];
    if (raw === undefined) throw new Error('no such block');
    return raw;
  }
}

/** Follows the node until `isDone` accepts an event. */
async function followUntil(
  node: MemoryNode,
  isDone: (event: FollowEvent) => boolean,
  pollMs = 1,
): Promise<FollowEvent[]> {
  const stop = new AbortController();
  const events: FollowEvent[] = [];
  const { spec } = store;
  if (spec === undefined) throw new Error('no genesis');
  const onEvent = (event: FollowEvent) => {
    events.push(event);
    if (isDone(event)) stop.abort(new Error('enough'));
  };
  await expect(
    followChain({ store, spec, node, runner: referenceRunner, onEvent, signal: stop.signal, pollMs }),
  ).rejects.toThrow();
  return events;
}

const isAt = (chain: MadeChain) => (event: FollowEvent) =>
  event.kind === 'progress' && store.head.hash === chain.hashes.at(-1);
const hasFailed = (event: FollowEvent) => event.kind === 'failed';

async function start(chain: MadeChain): Promise<void> {
  await importChain({ store, name: 'made', genesis: directory.write('genesis.json', chain.genesis), files: [] });
}

test('followChain follows the node forward, to other branches and to shorter chains', async () => {
  const one = await makeChain([...trunk, write(2)]);
  const longer = await makeChain([...trunk, write(3), write(4), write(5)]);
  const shorter = await makeChain([...trunk, write(6)]);
  const back = await makeChain(trunk);
  await start(one);
  const node = new MemoryNode();
  node.finalized = 1n;
  for (const chain of [one, longer, shorter, back]) {
    node.show(chain);
    const events = await followUntil(node, isAt(chain));
    expect(events.at(-1)).toMatchObject({ kind: 'progress', nodeNumber: BigInt(chain.hashes.length) });
    expect(store.head).toEqual({ hash: chain.hashes.at(-1), number: BigInt(chain.hashes.length) });
  }
  await followUntil(node, () => store.blockByTag('finalized').number === 1n);
});

test('followChain continues without a poll when the node reports a head', async () => {
  const one = await makeChain([...trunk, write(2)]);
  const longer = await makeChain([...trunk, write(2), write(3)]);
  await start(one);
  const node = new MemoryNode();
  node.show(one);
  const hour = 3_600_000;
  const events = await followUntil(
    node,
    (event) => {
      if (isAt(one)(event)) setImmediate(() => node.report(longer));
      return isAt(longer)(event);
    },
    hour,
  );
  expect(events.at(-1)).toMatchObject({ kind: 'progress', nodeNumber: 4n });
  expect(node.listeners).toBe(0);
});

test('followChain waits longer after each failure, then continues', async () => {
  const one = await makeChain([...trunk, write(2)]);
  await start(one);
  const node = new MemoryNode();
  node.show(one);
  node.fault = new Error('it is away');
  const failed = await followUntil(node, hasFailed);
  expect(failed).toEqual([{ kind: 'failed', error: node.fault, failures: 1, retryInMs: expect.any(Number) }]);
  node.fault = undefined;
  await followUntil(node, isAt(one));
});

test('followChain refuses a node of another chain, and a block that does not match its hash', async () => {
  const one = await makeChain([...trunk, write(2)]);
  await start(one);
  const node = new MemoryNode();
  node.show(one);
  node.id = 1n;
  const [refused] = await followUntil(node, hasFailed);
  expect(refused).toMatchObject({ error: { message: expect.stringContaining('chain 1, not 4242') } });
  expect(store.head.number).toBe(0n);
  node.id = 4242n;
  const blocks = one.blocks.map((raw) => Uint8Array.from(raw));
  const last = blocks.at(-1) ?? new Uint8Array(0);
  last[130] = (last[130] ?? 0) ^ 1;
  node.show({ ...one, blocks });
  const [event] = (await followUntil(node, hasFailed)).slice(-1);
  expect(event).toMatchObject({ kind: 'failed', error: { code: 'BLOCK_REFUSED' } });
  expect(store.head.number).toBe(2n);
});
