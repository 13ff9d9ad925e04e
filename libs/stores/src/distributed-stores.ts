import type { AccountStore } from '@cairn/auth';
import type { PackStore } from '@cairn/pack-store';
import type { Postgres } from '@cairn/postgres';
import { objectEngines, postgresEngines, redisEngines } from './shared-engines.ts';
import { engineMissing, type StoreSettings } from './store-settings.ts';
import type { BlockStoreOptions, Stores } from './stores.ts';

/**
 * Milliseconds for which rows of blocks, and the caches above the store, are used again. A block that another process removed is
 * served for at most the sum, a second.
 */
const foreignRemovalMs = 500;

/**
 * The stores of a deployment of many machines. All shared state is in PostgreSQL, blocks are in a bucket, and limits are in
 * Redis. No store falls back to files: processes would see different states.
 */
export function distributedStores(url: string, settings: StoreSettings): Stores {
  const over = <Store extends { close(): Promise<void> }>(open: (database: Postgres) => Promise<Store>) =>
    postgresEngines.use(url, settings, open);
  const auth = () => import('@cairn/auth/postgres');
  const metering = () => import('@cairn/metering/postgres');
  const openPacks = async ({ bytesMax, verify }: BlockStoreOptions = {}): Promise<PackStore> => {
    const { CAIRN_OBJECT_STORE } = settings;
    if (CAIRN_OBJECT_STORE === undefined) throw engineMissing('blocks', 'CAIRN_OBJECT_STORE');
    const { openCachedPacks } = await import('./cached-packs.ts');
    return await over((database) =>
      objectEngines.use(CAIRN_OBJECT_STORE, settings, (objects) =>
        openCachedPacks({ database, objects, bytesMax, verify, rowAgeMsMax: foreignRemovalMs }, settings),
      ),
    );
  };
  const stores: Stores = {
    accounts: () => over((database) => knownAccounts(url, database, settings)),
    gatewayHosts: () => over(async (database) => (await auth()).openPostgresGatewayHostStore(database)),
    plans: () => over(async (database) => (await metering()).openPostgresPlanStore(database)),
    usage: () => over(async (database) => (await metering()).openPostgresUsageStore(database)),
    requestLog: () => over(async (database) => (await metering()).openPostgresRequestLogStore(database)),
    billing: () =>
      over(async (database) => (await import('@cairn/billing/postgres')).openPostgresBillingStore(database)),
    names: () => over(async (database) => (await import('@cairn/ipns/postgres')).openPostgresNameStore(database)),
    providing: () =>
      over(async (database) => (await import('@cairn/providing/postgres')).openPostgresProvideStore(database)),
    limits: async () => {
      const { CAIRN_REDIS_URL } = settings;
      if (CAIRN_REDIS_URL === undefined)
        return over(async (database) => (await metering()).openPostgresLimitStore(database));
      const { openRedisLimitStore } = await import('@cairn/metering/redis');
      return redisEngines.use(CAIRN_REDIS_URL, settings, (redis) => openRedisLimitStore(redis));
    },
    redis: async () => {
      const { CAIRN_REDIS_URL } = settings;
      if (CAIRN_REDIS_URL === undefined) return undefined;
      return await redisEngines.use(CAIRN_REDIS_URL, settings, async (redis) => ({ redis, close: async () => {} }));
    },
    metering: async () => {
      const limits = await stores.limits();
      const [plans, usage, requestLog] = await Promise.all([stores.plans(), stores.usage(), stores.requestLog()]);
      return { plans, usage, requestLog, limits };
    },
    blocks: openPacks,
    packs: openPacks,
    foreignRemovalMs,
    pins: () => over(async (database) => (await import('@cairn/pinning/postgres')).openPostgresPinStore(database)),
    pinRequests: () =>
      over(async (database) => (await import('@cairn/pinning/postgres')).openPostgresPinRequestStore(database)),
    files: () => over(async (database) => (await import('@cairn/mfs/postgres')).openPostgresRootStore(database)),
    // Tables are created on demand, so each group exists.
    has: () => true,
  };
  return stores;
}

/** Opens the accounts with known keys in memory. Polls have a connection of their own, so that requests cannot delay them. */
async function knownAccounts(url: string, database: Postgres, settings: StoreSettings): Promise<AccountStore> {
  const { openKnownAccounts } = await import('@cairn/auth');
  const { openPostgresAccountStore, postgresAccountFeed } = await import('@cairn/auth/postgres');
  const { openPostgres } = await import('@cairn/postgres');
  const store = await openPostgresAccountStore(database);
  const polls = await openPostgres({ url, connectionsMax: 1, statementMs: 1000 });
  const { CAIRN_ACCOUNTS_OUTAGE_SECONDS: seconds } = settings;
  return await openKnownAccounts({
    store,
    feed: postgresAccountFeed(polls),
    ...(seconds !== undefined && { outageMs: seconds * 1000 }),
  });
}
