import type { Blockstore } from '@cairn/blockstore';
import { readOptionsOf } from './read-options.ts';
import type { Work } from './work.ts';

/** Returns the work of the request that a signal ends; `undefined` outside of requests. */
export function workOf(signal: AbortSignal | undefined): Work | undefined {
  return readOptionsOf(signal)?.work;
}

/** Counts the blocks that requests read. */
export function withWork(store: Blockstore): Blockstore {
  return {
    async get(cid, options) {
      const bytes = await store.get(cid, options);
      workOf(options?.signal)?.blocks([bytes.length]);
      return bytes;
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
