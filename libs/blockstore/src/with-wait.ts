import type { CID } from '@cairn/cid';
import type { Blockstore } from './blockstore.ts';
import { BlockNotFoundError } from './errors.ts';

export interface WaitOptions {
  /** Returns the milliseconds for which the read with this signal may wait. 0 disables the wait. */
  readonly waitMs: (signal: AbortSignal) => number;
}

const pollMsMin = 5;
const pollMsMax = 250;

/**
 * Makes a read wait for a missing block, which another process may be about to write. The store is polled until the block
 * is there. At the limit or the abort, the read throws BLOCK_NOT_FOUND with the time waited and the reason of the signal.
 * Reads without a signal do not wait.
 */
export function withWait(store: Blockstore, { waitMs }: WaitOptions): Blockstore {
  return {
    async get(cid, options = {}) {
      try {
        return await store.get(cid, options);
      } catch (error) {
        const { signal } = options;
        const limitMs = signal ? waitMs(signal) : 0;
        if (signal === undefined || limitMs <= 0 || !isNotFound(error)) throw error;
        return await waitForBlock(store, cid, { signal, limitMs });
      }
    },
    has: (cid) => store.has(cid),
    size: (cid) => store.size(cid),
    putMany: (blocks, options) => store.putMany(blocks, options),
    sync: () => store.sync(),
    delete: (cid) => store.delete(cid),
    keys: (options) => store.keys(options),
    stats: () => store.stats(),
    close: () => store.close(),
  };
}

export interface WaitForBlockOptions {
  readonly signal: AbortSignal;
  readonly limitMs: number;
  /** First pause between two looks at the store. It doubles up to 250 ms; a longer one stays. Default: 5. */
  readonly pauseMs?: number;
}

/** Polls a store for a block. Resolves with true when the store has it, and with false at the limit or the abort. */
export async function waitForPresence(
  store: Pick<Blockstore, 'has'>,
  cid: CID,
  { signal, limitMs, pauseMs = pollMsMin }: WaitForBlockOptions,
): Promise<boolean> {
  const end = performance.now() + limitMs;
  const pauseMsMax = Math.max(pauseMs, pollMsMax);
  for (let pause = pauseMs; performance.now() < end && !signal.aborted; pause = Math.min(2 * pause, pauseMsMax)) {
    await sleep(Math.min(pause, end - performance.now()), signal);
    if (!signal.aborted && (await store.has(cid))) return true;
  }
  return false;
}

/**
 * Polls a store for a block and reads it. At the limit or the abort, throws BLOCK_NOT_FOUND with the time waited and the
 * reason of the signal.
 */
export async function waitForBlock(
  store: Pick<Blockstore, 'get' | 'has'>,
  cid: CID,
  options: WaitForBlockOptions,
): Promise<Uint8Array> {
  const { signal, limitMs } = options;
  const start = performance.now();
  if (await waitForPresence(store, cid, options)) return await store.get(cid, { signal });
  const waitedMs = signal.aborted ? Math.round(performance.now() - start) : limitMs;
  throw new BlockNotFoundError(cid.toString(), { waitedMs, cause: signal.aborted ? signal.reason : undefined });
}

function isNotFound(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'BLOCK_NOT_FOUND';
}

/** Resolves after the time or when the signal aborts. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
  });
}
