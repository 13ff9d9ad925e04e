import type { CollectionLock } from '../pin-store.ts';
import type { WebhookEvent, WebhookStore } from './webhook-store.ts';

/** Result of one attempt. `gone`: the receiver wants no more events. */
export type DeliveryResult = 'delivered' | 'failed' | 'gone';

export interface WebhookSenderOptions {
  readonly store: WebhookStore;
  /** Sends one event. A rejection counts as failed. */
  readonly send: (event: WebhookEvent, signal: AbortSignal) => Promise<DeliveryResult>;
  /** Called with faults of the service, which no receiver caused. */
  readonly onError?: (error: unknown) => void;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

const seconds = 1000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

export const webhookSenderLimits = {
  /** Deliveries that run concurrently: of all accounts and of one, so that a slow receiver does not delay others. */
  permits: 16,
  permitsPerAccount: 2,
  /** Delays before the next attempt, as Standard Webhooks recommends: about three days in total. Then the event is dropped. */
  retryMs: [
    5 * seconds,
    5 * minutes,
    30 * minutes,
    2 * hours,
    5 * hours,
    10 * hours,
    14 * hours,
    20 * hours,
    24 * hours,
  ],
  /** Interval at which events of other processes are noticed. */
  pollMs: 1000,
  renewMs: 15_000,
} as const;

interface Delivery {
  readonly account: string;
  readonly done: Promise<void>;
}

/**
 * Delivers the events of the outbox at least once. Of several processes on one store, one delivers at a time. An interrupted
 * delivery is repeated with the same id.
 */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #now: () => number;
  readonly #running = new Map<string, Delivery>();
  readonly #stop = new AbortController();
  #work: Promise<void> = Promise.resolve();
  #lock: CollectionLock | undefined;
  #renewedAt = 0;
  #wake: () => void = () => {};
  /** Counts since the start, for metrics. */
  readonly counts = { delivered: 0, retried: 0, dropped: 0 };

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  start(): void {
    this.#work = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the service is shutting down'));
    this.wake();
    await this.#work;
  }

  /** Looks for events without waiting for the next poll. */
  wake(): void {
    this.#wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        if (await this.#leads()) await this.#dispatch();
      } catch (error) {
        this.#options.onError?.(error);
      }
      await this.#rest();
    }
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    await this.#lock?.release().catch((error: unknown) => this.#options.onError?.(error));
  }

  async #leads(): Promise<boolean> {
    if (this.#lock === undefined) {
      this.#lock = await this.#options.store.tryLockWebhooks();
      this.#renewedAt = performance.now();
    } else if (performance.now() - this.#renewedAt >= webhookSenderLimits.renewMs) {
      this.#renewedAt = performance.now();
      if (!(await this.#lock.renew())) this.#lock = undefined;
    }
    return this.#lock !== undefined;
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stop.signal.aborted) return resolve();
      const timer = setTimeout(resolve, webhookSenderLimits.pollMs).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Starts due deliveries, one account after the other, until no permit is free or no further event is due. */
  async #dispatch(): Promise<void> {
    const { store } = this.#options;
    let after: string | undefined;
    while (this.#running.size < webhookSenderLimits.permits && !this.#stop.signal.aborted) {
      const [except, exceptAccounts] = [new Set(this.#running.keys()), this.#accountsWithoutPermit()];
      const event = await store.firstDue({ after, now: this.#now(), except, exceptAccounts });
      if (event === undefined && after === undefined) return;
      if (event) this.#start(event);
      after = event?.account;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #accountsWithoutPermit(): ReadonlySet<string> {
    const accounts = [...this.#running.values()].map(({ account }) => account);
    const { permitsPerAccount } = webhookSenderLimits;
    return new Set(accounts.filter((account) => accounts.filter((one) => one === account).length >= permitsPerAccount));
  }

  #start(event: WebhookEvent): void {
    const done = this.#deliver(event)
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => {
        this.#running.delete(event.id);
        this.wake();
      });
    this.#running.set(event.id, { account: event.account, done });
  }

  async #deliver(event: WebhookEvent): Promise<void> {
    const { store, send } = this.#options;
    const { signal } = this.#stop;
    const result = await send(event, signal).catch((): DeliveryResult => 'failed');
    // The next process repeats an interrupted delivery.
    if (result === 'failed' && signal.aborted) return;
    if (result === 'gone') await store.remove(event.account);
    const delay = webhookSenderLimits.retryMs[event.attempts];
    if (result === 'failed' && delay !== undefined) {
      await store.settle(event, { dueAt: this.#now() + delay });
      this.counts.retried++;
      return;
    }
    await store.settle(event, undefined);
    this.counts[result === 'delivered' ? 'delivered' : 'dropped']++;
  }
}
