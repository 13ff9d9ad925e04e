import { distributedStores } from './distributed-stores.ts';
import { embeddedStores } from './embedded-stores.ts';
import { requireWhole, type StoreSettings } from './store-settings.ts';
import type { Stores } from './stores.ts';
import { requireRestored } from './unfinished-restore.ts';

/**
 * Chooses the adapter of every store by the settings: the embedded ones, in LMDB under `CAIRN_HOME`, or those of PostgreSQL,
 * a bucket and Redis. Chains are not part of it, since each gateway keeps them on its own disk.
 * @throws STORES_SETTINGS_INVALID, HOME_INCOMPLETE
 */
export function openStores(settings: StoreSettings): Stores {
  requireWhole(settings);
  const { CAIRN_HOME, CAIRN_DATABASE_URL } = settings;
  if (CAIRN_DATABASE_URL !== undefined) return distributedStores(CAIRN_DATABASE_URL, settings);
  requireRestored(CAIRN_HOME);
  return embeddedStores(CAIRN_HOME);
}
