import type { AccountLimits } from './limits/account-limits.ts';
import type { LimitStore } from './limits/limit-store.ts';
import { Limiter } from './limits/limiter.ts';
import type { PlanStore } from './plans/plan-store.ts';
import { Ledger } from './usage/ledger.ts';
import type { UsageStore } from './usage/usage-store.ts';

export interface MeteringStores {
  readonly plans: PlanStore;
  readonly limits: LimitStore;
  readonly usage: UsageStore;
}

export interface MeteringOptions extends MeteringStores {
  /** Name of the service, in the ledger and in refusals. */
  readonly service: string;
  /** Told what goes wrong beside requests. */
  readonly onError?: (error: unknown) => void;
}

/** Payer of a request: an account under its plan, or a service that asks for itself. */
export interface Payer {
  readonly account: { readonly id: string; readonly plan: string };
  /** The service, where it pays. */
  readonly payer?: { readonly id: string };
}

/** Limits and ledger of one process. */
export interface Metering {
  readonly limiter: Limiter;
  readonly ledger: Ledger;
  /** Rows of the ledger as they are stored: those of the last half second may be missing. */
  readonly usage: Pick<UsageStore, 'rows'>;
  /** The limits under which a request runs, and the account for which it is counted. */
  payment(payer: Payer): { readonly limits: AccountLimits; readonly accountId: string };
  /** Tells the ledger what is left, gives back what is held, and closes the stores. */
  close(): Promise<void>;
}

/** Starts to limit and to count. It owns the stores. */
export async function startMetering({ plans, limits, usage, service, onError }: MeteringOptions): Promise<Metering> {
  const told = onError === undefined ? {} : { onError };
  const limiter = await Limiter.start({ store: limits, plans, service, ...told });
  const ledger = new Ledger({ store: usage, service, ...told });
  return {
    limiter,
    ledger,
    usage,
    payment({ account, payer }) {
      if (payer === undefined) return { limits: limiter.of(account), accountId: account.id };
      return { limits: limiter.unlimited(payer), accountId: payer.id };
    },
    async close() {
      await ledger.close();
      await limiter.close();
      await Promise.all([plans.close(), limits.close(), usage.close()]);
    },
  };
}
