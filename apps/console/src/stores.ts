import { join } from 'node:path';
import { type BillingStore, openLmdbBillingStore } from '@cairn/billing';
import {
  type LimitStore,
  openLmdbLimitStore,
  openLmdbPlanStore,
  openLmdbUsageStore,
  type PlanStore,
  type UsageStore,
} from '@cairn/metering';
import { openLmdbPinStore, type PinStore } from '@cairn/pinning';
import type { ConsoleSettings } from './settings.ts';

/** Stores that the console reads beside accounts. */
export interface ConsoleStores {
  readonly plans: PlanStore;
  readonly usage: UsageStore;
  readonly limits: LimitStore;
  readonly pins: PinStore;
  readonly billing: BillingStore;
}

export async function openStores({ CAIRN_HOME }: ConsoleSettings): Promise<ConsoleStores> {
  const accounts = { directory: join(CAIRN_HOME, 'accounts') };
  return {
    plans: await openLmdbPlanStore(accounts),
    usage: await openLmdbUsageStore(accounts),
    billing: await openLmdbBillingStore(accounts),
    limits: await openLmdbLimitStore({ directory: join(CAIRN_HOME, 'limits') }),
    pins: await openLmdbPinStore({ directory: join(CAIRN_HOME, 'pins') }),
  };
}
