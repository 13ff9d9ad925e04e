import type { Block, ReadOptions } from '@cairn/blockstore';
import type { BlockLocation, PackReader } from '../types.ts';
import type { BlockCache } from './block-cache.ts';

/** Reads through a local cache. It is asked first, and gets each block that was read from a pack. */
export function withBlockCache(reader: PackReader, cache: BlockCache): PackReader {
  return {
    async get(location: BlockLocation, options?: ReadOptions) {
      options?.signal?.throwIfAborted();
      const lent = options?.buffers?.take(location.length);
      const cached = await cache.get(location.cid, lent);
      if (cached !== undefined) return cached;
      if (lent !== undefined) options?.buffers?.giveBack(lent);
      options?.signal?.throwIfAborted();
      const bytes = await reader.get(location, options);
      cache.put([{ cid: location.cid, bytes }]);
      return bytes;
    },
    async getMany(locations: readonly BlockLocation[], options?: ReadOptions) {
      options?.signal?.throwIfAborted();
      const blocks: (Uint8Array | undefined)[] = [];
      // One after the other, so that few copies are hashed in other threads.
      for (const { cid } of locations) blocks.push(await cache.get(cid));
      options?.signal?.throwIfAborted();
      const missing = locations.filter((_, index) => blocks[index] === undefined);
      const fetched = missing.length === 0 ? [] : await reader.getMany(missing, options);
      cache.put(fetched.map((bytes, index): Block => ({ cid: (missing[index] as BlockLocation).cid, bytes })));
      let next = 0;
      return blocks.map((bytes) => bytes ?? (fetched[next++] as Uint8Array));
    },
  };
}
