import type { Blockstore } from './blockstore.ts';
import { Slices } from './slices.ts';

/**
 * Gives other work its turn between reads: a store that answers from memory would let a request that reads many blocks run
 * without a pause. Reads with one signal share their slices.
 */
export function withYielding(store: Blockstore): Blockstore {
  return {
    async get(cid, options = {}) {
      if (options.signal !== undefined) {
        const slices = Slices.of(options.signal);
        if (slices.isOver) await slices.next();
      }
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
