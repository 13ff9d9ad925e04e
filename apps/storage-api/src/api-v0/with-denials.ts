import type { Blockstore } from '@cairn/blockstore';
import { readOptionsOf } from './read-options.ts';

/**
 * Refuses requests to read denied blocks, also below a path that is not denied. Reads outside of requests, such as those of the
 * garbage collector, are not refused: the blocks of a pin stay, and a shorter list makes them readable again.
 */
export function withDenials(store: Blockstore): Blockstore {
  return {
    async get(cid, options) {
      readOptionsOf(options?.signal)?.denied?.assertBlock(cid);
      return await store.get(cid, options);
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
