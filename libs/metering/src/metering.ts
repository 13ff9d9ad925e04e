import type { AccountLimits } from './limits/account-limits.ts';
import type { LimitStore } from './limits/limit-store.ts';
import { type LimitChannel, Limiter } from './limits/limiter.ts';
import type { PlanStore } from './plans/plan-store.ts';
import { RequestLog } from './requests/request-log.ts';
import type { RequestLogStore } from './requests/request-log-store.ts';
import { Ledger } from './usage/ledger.ts';
import type { UsageStore } from './usage/usage-store.ts';

export interface MeteringStores {
  readonly plans: PlanStore;
  /** Counters that processes share. */
  readonly limits: LimitStore;
  /** Stored rows of the ledger. Rows of the last half second may be missing. */
  readonly usage: UsageStore;
  /** Last requests of each account. */
  readonly requestLog: RequestLogStore;
}

export interface MeteringOptions extends MeteringStores {
  /** Name of the service: recorded in the ledger and quoted in LIMIT_REACHED. */
  readonly service: string;
  /** Called with errors of background work: reading plans, settling limits, flushing the ledger. */
  readonly onError?: (error: unknown) => void;
  /** Messages to the other processes of the service, which share permits. Default: it has none. */
  readonly channel?: LimitChannel;
}

/** Payer of a request: the account under its plan, or the service that sends the request for its own pages. */
export interface Payer {
  readonly account: { readonly id: string; readonly plan: string };
  /** Present if a service pays instead of the account. */
  readonly payer?: { readonly id: string };
}

/** Limits, ledger and request log of one process. */
export interface Metering extends MeteringStores {
  readonly limiter: Limiter;
  readonly ledger: Ledger;
  readonly requests: RequestLog;
  /** Returns the limits that apply to a request, and the account that it is counted for. */
  payment(payer: Payer): { readonly limits: AccountLimits; readonly accountId: string };
  /** Flushes the ledger, returns unused tokens and permits to the shared counters, and closes the stores. */
  close(): Promise<void>;
}

/** Starts the limiter and the ledger of this process. The result owns the stores and closes them. */
export async function startMetering({
  plans,
  limits,
  usage,
  requestLog,
  service,
  onError,
  channel,
}: MeteringOptions): Promise<Metering> {
  const handlers = onError === undefined ? {} : { onError };
  const limiter = await Limiter.start({ store: limits, plans, service, channel, ...handlers });
  const ledger = new Ledger({ store: usage, service, ...handlers });
  const requests = new RequestLog({ store: requestLog, service, ...handlers });
  return {
    limiter,
    ledger,
    requests,
    requestLog,
    plans,
    limits,
    usage,
    payment({ account, payer }) {
      if (payer === undefined) return { limits: limiter.of(account), accountId: account.id };
      return { limits: limiter.unlimited(payer), accountId: payer.id };
    },
    async close() {
      await ledger.close();
      await requests.close();
      await limiter.close();
      await Promise.all([plans.close(), limits.close(), usage.close(), requestLog.close()]);
    },
  };
}
