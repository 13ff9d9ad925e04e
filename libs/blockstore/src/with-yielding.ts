import type { Blockstore } from './blockstore.ts';
import { Slices } from './slices.ts';

/**
 * Yields to other work between reads. A request that reads many blocks from memory would otherwise occupy the event loop.
 * Reads with one signal share their slices.
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
