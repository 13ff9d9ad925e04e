import type { Postgres } from '@cairn/postgres';
import { postgresEngines, redisEngines } from './shared-engines.ts';
import { engineMissing, notDistributed, type StoreSettings } from './store-settings.ts';
import type { Stores } from './stores.ts';

/**
 * The stores of a deployment of many machines. All shared state is in PostgreSQL, blocks are in a bucket, and limits are in
 * Redis. No store falls back to files: processes would see different states.
 */
export function distributedStores(url: string, settings: StoreSettings): Stores {
  const over = <Store extends { close(): Promise<void> }>(open: (database: Postgres) => Promise<Store>) =>
    postgresEngines.use(url, open);
  const auth = () => import('@cairn/auth/postgres');
  const metering = () => import('@cairn/metering/postgres');
  const stores: Stores = {
    accounts: () => over(async (database) => (await auth()).openPostgresAccountStore(database)),
    gatewayHosts: () => over(async (database) => (await auth()).openPostgresGatewayHostStore(database)),
    plans: () => over(async (database) => (await metering()).openPostgresPlanStore(database)),
    usage: () => over(async (database) => (await metering()).openPostgresUsageStore(database)),
    billing: () =>
      over(async (database) => (await import('@cairn/billing/postgres')).openPostgresBillingStore(database)),
    names: () => over(async (database) => (await import('@cairn/ipns/postgres')).openPostgresNameStore(database)),
    providing: () =>
      over(async (database) => (await import('@cairn/providing/postgres')).openPostgresProvideStore(database)),
    limits: async () => {
      const { CAIRN_REDIS_URL } = settings;
      if (CAIRN_REDIS_URL === undefined) throw engineMissing('limits', 'CAIRN_REDIS_URL');
      const { openRedisLimitStore } = await import('@cairn/metering/redis');
      return redisEngines.use(CAIRN_REDIS_URL, (redis) => openRedisLimitStore(redis));
    },
    metering: async () => {
      const limits = await stores.limits();
      const [plans, usage] = await Promise.all([stores.plans(), stores.usage()]);
      return { plans, usage, limits };
    },
    blocks: async () => {
      throw settings.CAIRN_OBJECT_STORE === undefined
        ? engineMissing('blocks', 'CAIRN_OBJECT_STORE')
        : notDistributed('blocks');
    },
    pins: () => over(async (database) => (await import('@cairn/pinning/postgres')).openPostgresPinStore(database)),
    pinRequests: () =>
      over(async (database) => (await import('@cairn/pinning/postgres')).openPostgresPinRequestStore(database)),
    files: () => over(async (database) => (await import('@cairn/mfs/postgres')).openPostgresRootStore(database)),
    // Tables are created on demand, so each group exists.
    has: () => true,
  };
  return stores;
}
