import type { Blockstore } from './blockstore.ts';
import { BlockNotFoundError } from './errors.ts';

export interface WaitOptions {
  /** How long a read may wait for a block to come, in milliseconds, told by the signal of the read. 0: not at all. */
  readonly waitMs: (signal: AbortSignal) => number;
}

const firstLookMs = 5;
const lookMsMax = 250;

/**
 * Lets a read wait for a block that is not here yet: another process may be about to write it. The wait ends with the
 * block, or with an error that names the block, the time waited, and the reason of the signal if that ended it. Reads
 * without a signal do not wait.
 */
export function withWait(store: Blockstore, { waitMs }: WaitOptions): Blockstore {
  return {
    async get(cid, options = {}) {
      try {
        return await store.get(cid, options);
      } catch (error) {
        const { signal } = options;
        const limit = signal ? waitMs(signal) : 0;
        if (signal === undefined || limit <= 0 || !isNotFound(error)) throw error;
        const start = performance.now();
        const end = start + limit;
        for (
          let pause = firstLookMs;
          performance.now() < end && !signal.aborted;
          pause = Math.min(2 * pause, lookMsMax)
        ) {
          await rest(Math.min(pause, end - performance.now()), signal);
          if (!signal.aborted && (await store.has(cid))) return await store.get(cid, options);
        }
        const waitedMs = signal.aborted ? Math.round(performance.now() - start) : limit;
        throw new BlockNotFoundError(cid.toString(), { waitedMs, cause: signal.aborted ? signal.reason : undefined });
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

function isNotFound(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'BLOCK_NOT_FOUND';
}

/** Resolves after the time, or when the signal aborts. */
function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
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
