import type { CID } from '@cairn/cid';
import { LRUCache } from 'lru-cache';
import type { Blockstore } from './blockstore.ts';

export interface CacheOptions {
  /** Sum of the lengths of cached blocks, in bytes. */
  readonly bytesMax: number;
  /** Longer blocks are not cached: leaves of files are read once, inner nodes and small files again. Default 64 KiB. */
  readonly blockBytesMax?: number;
}

/** Keeps recently read small blocks in memory. Put it outside of verification: what it serves was checked when read. */
export function withCache(store: Blockstore, { bytesMax, blockBytesMax = 64 * 1024 }: CacheOptions): Blockstore {
  const cache = new LRUCache<string, Uint8Array>({ maxSize: bytesMax, sizeCalculation: (bytes) => bytes.length + 128 });
  return {
    async get(cid, options) {
      const key = cacheKey(cid);
      const cached = cache.get(key);
      if (cached !== undefined) {
        options?.signal?.throwIfAborted();
        return cached;
      }
      const bytes = await store.get(cid, options);
      if (bytes.length <= blockBytesMax) cache.set(key, bytes);
      return bytes;
    },
    has: (cid) => store.has(cid),
    size: (cid) => store.size(cid),
    putMany: (blocks) => store.putMany(blocks),
    sync: () => store.sync(),
    async delete(cid) {
      cache.delete(cacheKey(cid));
      await store.delete(cid);
      // A read that was under way meanwhile may have put it back.
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
  const { bytes } = cid.multihash;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
