import { openLmdbLimitStore } from './limits/lmdb-limit-store.ts';
import type { MeteringStores } from './metering.ts';
import { openLmdbPlanStore } from './plans/lmdb-plan-store.ts';
import { openLmdbRequestLogStore } from './requests/lmdb-request-log-store.ts';
import { openLmdbUsageStore } from './usage/lmdb-usage-store.ts';

/** Opens all stores of metering: plans, usage and request log in the directory of the accounts, limit counters in their own directory. */
export async function openLmdbMeteringStores({
  accounts,
  limits,
}: {
  readonly accounts: string;
  readonly limits: string;
}): Promise<MeteringStores> {
  return {
    plans: await openLmdbPlanStore({ directory: accounts }),
    usage: await openLmdbUsageStore({ directory: accounts }),
    requestLog: await openLmdbRequestLogStore({ directory: accounts }),
    limits: await openLmdbLimitStore({ directory: limits }),
  };
}
