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
 * block, with the signal of the read, or with an error that tells how long it was. Reads without a signal do not wait.
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
        const end = performance.now() + limit;
        for (let pause = firstLookMs; performance.now() < end; pause = Math.min(2 * pause, lookMsMax)) {
          await rest(Math.min(pause, end - performance.now()), signal);
          if (await store.has(cid)) return await store.get(cid, options);
        }
        throw new BlockNotFoundError(cid.toString(), { waitedMs: limit });
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

/** @throws the reason of the signal */
function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const done = () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
