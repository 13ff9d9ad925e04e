import { overPostgres } from './shared-postgres.ts';
import { engineMissing, notDistributed, type StoreSettings } from './store-settings.ts';
import type { Stores } from './stores.ts';

/**
 * The stores of a deployment of many machines. All shared state is in PostgreSQL, blocks are in a bucket, and limits are in
 * Redis. No store falls back to files: processes would see different states.
 */
export function distributedStores(url: string, settings: StoreSettings): Stores {
  const auth = () => import('@cairn/auth/postgres');
  const metering = () => import('@cairn/metering/postgres');
  const stores: Stores = {
    accounts: () => overPostgres(url, async (database) => (await auth()).openPostgresAccountStore(database)),
    gatewayHosts: () => overPostgres(url, async (database) => (await auth()).openPostgresGatewayHostStore(database)),
    plans: () => overPostgres(url, async (database) => (await metering()).openPostgresPlanStore(database)),
    usage: () => overPostgres(url, async (database) => (await metering()).openPostgresUsageStore(database)),
    billing: () =>
      overPostgres(url, async (database) =>
        (await import('@cairn/billing/postgres')).openPostgresBillingStore(database),
      ),
    names: () =>
      overPostgres(url, async (database) => (await import('@cairn/ipns/postgres')).openPostgresNameStore(database)),
    providing: () =>
      overPostgres(url, async (database) =>
        (await import('@cairn/providing/postgres')).openPostgresProvideStore(database),
      ),
    limits: async () => {
      throw settings.CAIRN_REDIS_URL === undefined
        ? engineMissing('limits', 'CAIRN_REDIS_URL')
        : notDistributed('limits');
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
    pins: () =>
      overPostgres(url, async (database) => (await import('@cairn/pinning/postgres')).openPostgresPinStore(database)),
    pinRequests: () => Promise.reject(notDistributed('pin requests')),
    files: () =>
      overPostgres(url, async (database) => (await import('@cairn/mfs/postgres')).openPostgresRootStore(database)),
    // Tables are created on demand, so each group exists.
    has: () => true,
  };
  return stores;
}
