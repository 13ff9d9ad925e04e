import type { CID } from '@cairn/cid';
import { latin1FromBytes } from '@cairn/platform';
import { LRUCache } from 'lru-cache';
import type { Blockstore } from './blockstore.ts';
import type { Collectable } from './collectable.ts';

export interface CacheOptions {
  /** Limit of the memory for cached blocks, in bytes. */
  readonly bytesMax: number;
  /** Longer blocks are not cached: inner nodes and small files are read repeatedly, leaves of files once. Default 64 KiB. */
  readonly blockBytesMax?: number;
  /** Source of removals by garbage collection, so that the cache drops removed blocks. */
  readonly removals?: Pick<Collectable, 'onRemoved'>;
  /**
   * Milliseconds after which a cached block is read again, for stores from which processes elsewhere remove blocks:
   * `removals` reports those of this process only. Default: no limit.
   */
  readonly ageMsMax?: number | undefined;
}

/** Caches recently read small blocks in memory. Wrap it around verification, so that cached blocks are verified. */
export function withCache(
  store: Blockstore,
  { bytesMax, blockBytesMax = 64 * 1024, removals, ageMsMax }: CacheOptions,
): Blockstore {
  const cache = new LRUCache<string, Uint8Array>({
    maxSize: bytesMax,
    sizeCalculation: (bytes) => bytes.length + 128,
    ...(ageMsMax !== undefined && { ttl: ageMsMax }),
  });
  // Counted for concurrent reads: one that began before a removal may end after it and must not be cached.
  let removedSoFar = 0;
  removals?.onRemoved((cids) => {
    removedSoFar += cids.length;
    for (const cid of cids) cache.delete(cacheKey(cid));
  });
  return {
    async get(cid, options) {
      const key = cacheKey(cid);
      const cached = cache.get(key);
      if (cached !== undefined) {
        options?.signal?.throwIfAborted();
        return cached;
      }
      const before = removedSoFar;
      const bytes = await store.get(cid, options);
      const isOwn = options?.buffers?.isLent(bytes) !== true;
      if (isOwn && bytes.length <= blockBytesMax && removedSoFar === before) cache.set(key, bytes);
      return bytes;
    },
    has: (cid) => store.has(cid),
    size: (cid) => store.size(cid),
    putMany: (blocks, options) => store.putMany(blocks, options),
    sync: () => store.sync(),
    async delete(cid) {
      cache.delete(cacheKey(cid));
      await store.delete(cid);
      // A concurrent read may have cached the block again.
      cache.delete(cacheKey(cid));
    },
    keys: (options) => store.keys(options),
    stats: () => store.stats(),
    async close() {
      cache.clear();
      await store.close();
    },
  };
}

function cacheKey(cid: CID): string {
  return latin1FromBytes(cid.multihash.bytes);
}
