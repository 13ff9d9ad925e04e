import { join } from 'node:path';
import type { VerificationOptions } from '@cairn/blockstore';
import { errorText } from '@cairn/errors';
import type { BlockCache } from '@cairn/pack-store';
import type { EngineState } from './engine-watch.ts';
import type { StoreSettings } from './store-settings.ts';

interface OpenCache {
  readonly cache: BlockCache | undefined;
  readonly warning?: string;
}

const caches = new Set<OpenCache>();

/**
 * Opens the cache of blocks on the local disk, if the settings give it bytes. A cache that cannot be opened is a warning: reads then
 * use the bucket.
 */
export async function useBlockCache(
  settings: StoreSettings,
  verify?: VerificationOptions['verify'],
): Promise<{ readonly cache: BlockCache | undefined; close(): Promise<void> }> {
  const { CAIRN_BLOCK_CACHE_BYTES: bytesMax = 0, CAIRN_HOME } = settings;
  if (bytesMax === 0) return { cache: undefined, close: async () => {} };
  const { openBlockCache } = await import('@cairn/pack-store');
  const opened: OpenCache = await openBlockCache({
    directory: join(CAIRN_HOME, 'cache', 'blocks'),
    bytesMax,
    verify,
  }).then(
    (cache) => ({ cache }),
    (error: unknown) => ({ cache: undefined, warning: errorText(error) }),
  );
  caches.add(opened);
  return {
    cache: opened.cache,
    close: async () => {
      caches.delete(opened);
      await opened.cache?.close();
    },
  };
}

/** States of the open caches, in the form of engines. */
export function blockCacheStates(): readonly EngineState[] {
  return [...caches].map(({ cache, warning }): EngineState => {
    const name = 'block-cache';
    if (cache === undefined) return { name, ...(warning && { warning }), gauges: {}, counters: {}, failures: {} };
    const { hits, misses, skipped, failures, hitBytes, blocks, bytes } = cache.stats();
    return { name, gauges: { blocks, bytes }, counters: { hits, misses, skipped, failures, hitBytes }, failures: {} };
  });
}
