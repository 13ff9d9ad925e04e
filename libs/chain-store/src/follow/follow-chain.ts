import { setTimeout as wait } from 'node:timers/promises';
import type { BlockRunner, ChainSpec, Header, Hex } from '@cairn/block-model';
import { BlockImport } from '../block-import.ts';
import type { ChainStore, ForkChoice } from '../chain-store.ts';
import { BlockRefusedError } from '../errors.ts';
import { branchDepthMax } from '../write-blocks.ts';
import type { ExecutionNode } from './execution-node.ts';

/** Events of a follower. */
export type FollowEvent =
  | {
      readonly kind: 'progress';
      /** Height of the local chain. */
      readonly number: bigint;
      /** Height of the node's chain. */
      readonly nodeNumber: bigint;
      /** Blocks and gas executed since the follower began. */
      readonly blocks: number;
      readonly gas: bigint;
    }
  | { readonly kind: 'failed'; readonly error: unknown; readonly failures: number; readonly retryInMs: number };

export interface FollowOptions {
  readonly store: ChainStore;
  readonly spec: ChainSpec;
  readonly node: ExecutionNode;
  readonly signal: AbortSignal;
  readonly runner: BlockRunner;
  readonly onEvent?: (event: FollowEvent) => void;
  /** Interval of requests for the head of the node, if it reports none. Default 2,000 ms. */
  readonly pollMs?: number;
}

/** Blocks that are fetched while earlier ones are executed. */
const blocksAhead = 16;
const retryMsMin = 1_000;
const retryMsMax = 60_000;

/**
 * Keeps a chain at the head of another node until the signal aborts. Every block is executed and verified against its hash and
 * roots: the node only selects the branch. After a failure it waits, longer each time, and retries.
 * @throws only the reason of the signal
 */
export async function followChain(options: FollowOptions): Promise<never> {
  const { node, signal, onEvent, pollMs = 2_000 } = options;
  const counts = { blocks: 0, gas: 0n };
  const heads = new HeadSignal();
  const removeListener = node.onHead?.(() => heads.reported());
  signal.addEventListener('abort', () => removeListener?.(), { once: true });
  let failures = 0;
  while (true) {
    signal.throwIfAborted();
    let pauseMs = pollMs;
    try {
      heads.forget();
      await catchUp(options, counts);
      failures = 0;
    } catch (error) {
      signal.throwIfAborted();
      failures++;
      // Half of the delay is random, so that followers of one node do not retry together.
      const most = Math.min(retryMsMax, retryMsMin * 2 ** (failures - 1));
      pauseMs = most / 2 + (Math.random() * most) / 2;
      onEvent?.({ kind: 'failed', error, failures, retryInMs: Math.round(pauseMs) });
    }
    if (failures > 0) await wait(pauseMs, undefined, { signal });
    else await heads.wait(pauseMs, signal);
  }
}

/** Ends a pause when the node reports a head. */
class HeadSignal {
  #hasNews = false;
  #wake: (() => void) | undefined;

  reported(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  forget(): void {
    this.#hasNews = false;
  }

  /** @throws the reason of the signal */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#hasNews) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    try {
      await wait(ms, undefined, { signal: AbortSignal.any([signal, woken.signal]) });
    } catch (error) {
      if (!woken.signal.aborted) throw error;
      signal.throwIfAborted();
    } finally {
      this.#wake = undefined;
    }
  }
}

/** Imports blocks up to the current head of the node. */
async function catchUp(
  { store, spec, node, runner, signal, onEvent }: FollowOptions,
  counts: { blocks: number; gas: bigint },
): Promise<void> {
  const chainId = await node.chainId(signal);
  if (chainId !== store.chainId)
    throw new BlockRefusedError(
      { number: undefined, hash: undefined },
      `the node is of chain ${chainId}, not ${store.chainId}`,
    );
  const target = await node.header('latest', signal);
  if (target === undefined) return;
  const tell = () => onEvent?.({ kind: 'progress', number: store.head.number, nodeNumber: target.number, ...counts });
  if (store.head.hash !== target.hash) {
    const base = await commonHeight(store, node, target, signal);
    const before = { ...counts };
    const blocks = BlockImport.open(store, spec, runner);
    let last: Hex | undefined;
    try {
      for await (const raw of blocksFrom(node, base + 1n, target.number, signal)) {
        last = (await blocks.add(raw)).hash;
        counts.blocks = before.blocks + blocks.blocks;
        counts.gas = before.gas + blocks.gas;
        tell();
      }
    } finally {
      await blocks.flush();
    }
    last ??= store.hashByNumber(base);
    // The node selects the branch, since its consensus client knows the fork choice.
    if (last !== undefined && store.head.hash !== last) await store.setForkChoice({ head: last });
  }
  await follow(store, await finalityOf(node, signal));
  tell();
}

/** Returns the highest height at which the node and the local chain have the same block. */
async function commonHeight(
  store: ChainStore,
  node: ExecutionNode,
  target: Header,
  signal: AbortSignal,
): Promise<bigint> {
  const { number: head } = store.head;
  const isShorter = target.number < head;
  const top = isShorter ? target.number : head;
  for (let height = top; height >= 0n && top - height <= branchDepthMax; height--) {
    const header = height === target.number ? target : await node.header(height, signal);
    if (header !== undefined && header.hash === store.hashByNumber(height)) return height;
  }
  throw new BlockRefusedError(
    target,
    `the node's chain leaves the one here more than ${branchDepthMax} blocks below its head`,
  );
}

/** Fetches blocks of the node in order, up to `blocksAhead` of them in advance. */
async function* blocksFrom(
  node: ExecutionNode,
  from: bigint,
  to: bigint,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const coming: Promise<Uint8Array>[] = [];
  let next = from;
  const ask = () => {
    if (next > to) return;
    const block = node.block(next++, signal);
    // A rejection before the await below must not be unhandled; that await throws the error.
    block.catch(() => {});
    coming.push(block);
  };
  for (let count = 0; count < blocksAhead; count++) ask();
  for (let block = coming.shift(); block !== undefined; block = coming.shift()) {
    ask();
    yield await block;
  }
}

async function finalityOf(node: ExecutionNode, signal: AbortSignal): Promise<ForkChoice> {
  const [safe, finalized] = await Promise.all([node.header('safe', signal), node.header('finalized', signal)]);
  return { ...(safe && { safe: safe.hash }), ...(finalized && { finalized: finalized.hash }) };
}

/** Adopts the safe and finalized blocks of the node that are stored here. */
async function follow(store: ChainStore, { safe, finalized }: ForkChoice): Promise<void> {
  const isNews = (hash: Hex | undefined, tag: 'safe' | 'finalized'): hash is Hex =>
    hash !== undefined && store.isCanonical(hash) && store.blockByTag(tag).hash !== hash;
  const choice = {
    ...(isNews(safe, 'safe') && { safe }),
    ...(isNews(finalized, 'finalized') && { finalized }),
  };
  if (Object.keys(choice).length > 0) await store.setForkChoice(choice);
}
