// Hot path: every request of all services. Bench: metering.bench.ts.
import type { LoggedRequest, RequestLogStore } from './request-log-store.ts';

/** A request to log, without what the log adds. */
export type FinishedLogEntry = Omit<LoggedRequest, 'at' | 'service' | 'skipped'>;

export interface RequestLogOptions {
  readonly store: RequestLogStore;
  /** Name of the service, recorded in each entry. */
  readonly service: string;
  /** Current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Called when entries cannot be stored. They are discarded: the ledger, not the log, is the record for billing. */
  readonly onError?: (error: unknown) => void;
}

/** Interval between flushes in milliseconds: a killed process loses the entries of this time. */
const flushMs = 1000;

/** Entries of one account and of all accounts that one flush stores. More are counted, but not logged. */
export const requestLogLimits = { perAccount: 2000, all: 20_000 } as const;

interface Pending {
  readonly entries: LoggedRequest[];
  skipped: number;
}

/** Buffers finished requests in memory and appends them to the store once a second. */
export class RequestLog {
  readonly #store: RequestLogStore;
  readonly #service: string;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #pending = new Map<string, Pending>();
  #count = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor({ store, service, now = Date.now, onError = () => {} }: RequestLogOptions) {
    this.#store = store;
    this.#service = service;
    this.#now = now;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.flush(), flushMs).unref();
  }

  /** Logs a finished request of an account. */
  record(accountId: string, entry: FinishedLogEntry): void {
    let pending = this.#pending.get(accountId);
    if (pending === undefined) {
      pending = { entries: [], skipped: 0 };
      this.#pending.set(accountId, pending);
    }
    if (pending.entries.length >= requestLogLimits.perAccount || this.#count >= requestLogLimits.all) {
      pending.skipped++;
      return;
    }
    this.#count++;
    const { operation, network, key, outcome, error, limit, durationMs, credits, requestId, origin } = entry;
    const [at, service] = [this.#now(), this.#service];
    // Written out: a spread takes several times as long.
    pending.entries.push({
      at,
      service,
      operation,
      network,
      key,
      outcome,
      error,
      limit,
      durationMs,
      credits,
      requestId,
      origin,
    });
  }

  /** Appends all entries to the store. Never rejects: errors are reported to `onError`. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#flushAll());
    return this.#flushing;
  }

  async #flushAll(): Promise<void> {
    const pending = this.#pending;
    [this.#pending, this.#count] = [new Map(), 0];
    for (const [accountId, { entries, skipped }] of pending) {
      const last = entries.pop();
      // Only the bound of all accounts leaves an account without entries.
      if (last === undefined) continue;
      entries.push(skipped === 0 ? last : { ...last, skipped });
      try {
        await this.#store.append(accountId, entries);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** Stops the timer and flushes. The caller closes the store. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
