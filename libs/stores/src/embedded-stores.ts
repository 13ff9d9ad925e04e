import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreGroup, Stores } from './stores.ts';

/** The stores of one machine, in LMDB under a directory. */
export function embeddedStores(home: string): Stores {
  const at = (group: StoreGroup) => ({ directory: join(home, group) });
  const auth = () => import('@cairn/auth');
  const metering = () => import('@cairn/metering');
  return {
    accounts: async () => (await auth()).openLmdbAccountStore(at('accounts')),
    gatewayHosts: async () => (await auth()).openLmdbGatewayHostStore(at('accounts')),
    plans: async () => (await metering()).openLmdbPlanStore(at('accounts')),
    usage: async () => (await metering()).openLmdbUsageStore(at('accounts')),
    requestLog: async () => (await metering()).openLmdbRequestLogStore(at('accounts')),
    limits: async () => (await metering()).openLmdbLimitStore(at('limits')),
    redis: async () => undefined,
    billing: async () => (await import('@cairn/billing')).openLmdbBillingStore(at('accounts')),
    metering: async () =>
      (await metering()).openLmdbMeteringStores({
        accounts: at('accounts').directory,
        limits: at('limits').directory,
      }),
    blocks: async (options = {}) =>
      (await import('@cairn/blockstore')).openLmdbBlockstore({ ...at('blocks'), ...options }),
    packs: async () => undefined,
    foreignRemovalMs: undefined,
    pins: async () => (await import('@cairn/pinning')).openLmdbPinStore(at('pins')),
    pinRequests: async () => (await import('@cairn/pinning')).openLmdbPinRequestStore(at('pins')),
    files: async () => (await import('@cairn/mfs')).openLmdbRootStore(at('files')),
    names: async () => (await import('@cairn/ipns')).openLmdbNameStore(at('names')),
    providing: async () => (await import('@cairn/providing')).openLmdbProvideStore(at('providing')),
    has: (group) => existsSync(at(group).directory),
  };
}
