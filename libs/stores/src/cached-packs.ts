import {
  createPackReader,
  openPackBlockstore,
  type PackBlockstoreOptions,
  type PackStore,
  withBlockCache,
} from '@cairn/pack-store';
import { useBlockCache } from './block-caches.ts';
import type { StoreSettings } from './store-settings.ts';

/** Opens blocks in packs, behind the cache on the local disk. The store closes the cache. */
export async function openCachedPacks(options: PackBlockstoreOptions, settings: StoreSettings): Promise<PackStore> {
  const { cache, close } = await useBlockCache(settings, options.verify);
  if (cache === undefined) return await closingWith(openPackBlockstore(options), close);
  const reader = withBlockCache(createPackReader({ objects: options.objects, verify: options.verify }), cache);
  return await closingWith(openPackBlockstore({ ...options, reader }), close);
}

async function closingWith(opening: Promise<PackStore>, close: () => Promise<void>): Promise<PackStore> {
  let store: PackStore;
  try {
    store = await opening;
  } catch (error) {
    await close();
    throw error;
  }
  const closeStore = store.close.bind(store);
  store.close = () => closeStore().finally(close);
  return store;
}
