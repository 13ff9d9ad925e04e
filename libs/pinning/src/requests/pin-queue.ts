import { parseCid } from '@cairn/cid';
import { errorText, isCairnError } from '@cairn/errors';
import type { CollectionLock } from '../pin-store.ts';
import type { Pinning } from '../pinning.ts';
import type { PinRequest, PinRequestOutcome } from './pin-request.ts';
import type { PinRequestStore } from './pin-request-store.ts';

export interface PinQueueOptions {
  readonly requests: PinRequestStore;
  readonly pinning: Pick<Pinning, 'get'>;
  /** Pins the DAG of a request. An error with a code in `finalCodes` is final; others are retried. */
  readonly pin: (request: PinRequest, signal: AbortSignal) => Promise<void>;
  /** Milliseconds after its creation at which a request fails that cannot be pinned. */
  readonly expiryMs: number;
  /** Called with faults of the service, which no request caused. */
  readonly onError?: (error: unknown) => void;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

/** Codes of errors that no retry can end. */
const finalCodes: ReadonlySet<string> = new Set([
  'ACCOUNT_NOT_FOUND',
  'BILLING_CARD_REQUIRED',
  'CODEC_UNSUPPORTED',
  'CONTENT_DENIED',
  'DAG_INVALID',
  'DAG_TOO_LARGE',
  'HASH_UNSUPPORTED',
  'QUOTA_EXCEEDED',
]);

export const pinQueueLimits = {
  /** Attempts that run concurrently. Each may walk a DAG. */
  permits: 16,
  /** Attempts of one account, so that one with missing content does not delay others. */
  permitsPerAccount: 4,
  /** Delay of the first retry. Each further one is twice as long. */
  retryMs: 1000,
  retryMsMax: 60_000,
  /** Interval at which requests of other processes are noticed. */
  pollMs: 1000,
  /** Interval at which the lease of the queue is renewed. */
  renewMs: 15_000,
} as const;

interface Attempt {
  readonly account: string;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/**
 * Processes pin requests. Of several processes on one store, one processes a request at a time (see
 * `PinRequestStore.tryLockQueue`). Requests survive a kill: an attempt that was interrupted runs again.
 */
export class PinQueue {
  readonly #options: PinQueueOptions;
  readonly #requests: PinRequestStore;
  readonly #now: () => number;
  readonly #attempts = new Map<string, Attempt>();
  readonly #waiting = new Map<string, () => void>();
  readonly #stop = new AbortController();
  #work: Promise<void> = Promise.resolve();
  #lock: CollectionLock | undefined;
  #renewedAt = 0;
  #triedAt = Number.NEGATIVE_INFINITY;
  #cursor: string | undefined;
  #wake: () => void = () => {};
  #isAwake = false;
  /** Counts since the start, for metrics. */
  readonly counts = { pinned: 0, failed: 0, retried: 0 };

  constructor(options: PinQueueOptions) {
    this.#options = options;
    this.#requests = options.requests;
    this.#now = options.now ?? Date.now;
  }

  start(): void {
    this.#work = this.#run();
  }

  /** Stops all attempts, which another process or the next start runs again. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the service is shutting down'));
    this.wake();
    await this.#work;
  }

  /** Number of attempts that run. */
  get running(): number {
    return this.#attempts.size;
  }

  /** Looks for work without waiting for the next poll. */
  wake(): void {
    this.#isAwake = true;
    this.#wake();
  }

  /** Ends the attempt of a removed request. */
  cancel(id: string): void {
    this.#attempts.get(id)?.controller.abort(new Error('the pin request was removed'));
    this.wake();
  }

  /** Waits until the next attempt of a request has ended, but not longer than some milliseconds. */
  async settled(id: string, milliseconds: number): Promise<void> {
    this.wake();
    if (this.#lock === undefined) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds).unref();
      this.#waiting.set(id, () => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.#waiting.delete(id);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#isAwake = false;
      try {
        if (await this.#leads()) {
          await this.#releasePins();
          await this.#dispatch();
        }
      } catch (error) {
        this.#options.onError?.(error);
      }
      await this.#rest();
    }
    await this.#endAttempts(signal.reason);
    await this.#lock?.release().catch((error: unknown) => this.#options.onError?.(error));
  }

  /** Takes or extends the lease. A lost one ends all attempts, since another process runs them now. */
  async #leads(): Promise<boolean> {
    if (this.#lock === undefined) {
      // A wake does not try again, since each try is a transaction.
      if (performance.now() - this.#triedAt < pinQueueLimits.pollMs / 2) return false;
      this.#triedAt = performance.now();
      this.#lock = await this.#requests.tryLockQueue();
      this.#renewedAt = performance.now();
    } else if (performance.now() - this.#renewedAt >= pinQueueLimits.renewMs) {
      this.#renewedAt = performance.now();
      if (!(await this.#lock.renew())) {
        this.#lock = undefined;
        await this.#endAttempts(new Error('another process processes the pin requests'));
      }
    }
    return this.#lock !== undefined;
  }

  async #endAttempts(reason: unknown): Promise<void> {
    const attempts = [...this.#attempts.values()];
    for (const { controller } of attempts) controller.abort(reason);
    await Promise.all(attempts.map(({ done }) => done));
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isAwake || this.#stop.signal.aborted) return void setImmediate(resolve);
      const timer = setTimeout(resolve, pinQueueLimits.pollMs).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Starts due requests, one account after the other, until no permit is free or no further request is due. */
  async #dispatch(): Promise<void> {
    while (this.#attempts.size < pinQueueLimits.permits && !this.#stop.signal.aborted) {
      const [after, except, exceptAccounts] = [
        this.#cursor,
        new Set(this.#attempts.keys()),
        this.#accountsWithoutPermit(),
      ];
      const request = await this.#requests.firstDue({ after, now: this.#now(), except, exceptAccounts });
      if (request === undefined && after === undefined) return;
      this.#cursor = request?.account;
      if (request) this.#start(request);
    }
  }

  #accountsWithoutPermit(): ReadonlySet<string> {
    const accounts = [...this.#attempts.values()].map(({ account }) => account);
    const { permitsPerAccount } = pinQueueLimits;
    return new Set(accounts.filter((account) => accounts.filter((one) => one === account).length >= permitsPerAccount));
  }

  #start(request: PinRequest): void {
    const controller = new AbortController();
    const done = this.#attempt(request, controller.signal)
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => {
        this.#attempts.delete(request.id);
        this.#waiting.get(request.id)?.();
        this.wake();
      });
    this.#attempts.set(request.id, { account: request.account, controller, done });
  }

  async #attempt(request: PinRequest, signal: AbortSignal): Promise<void> {
    if (!(await this.#requests.begin(request.account, request.id))) return;
    let outcome: PinRequestOutcome;
    try {
      await this.#options.pin(request, signal);
      outcome = { status: 'pinned' };
    } catch (error) {
      if (this.#stop.signal.aborted || this.#lock === undefined) return;
      outcome = this.#outcomeOf(request, error);
      if (!isCairnError(error) && !signal.aborted) this.#options.onError?.(error);
    }
    await this.#finish(request, outcome);
  }

  async #finish(request: PinRequest, outcome: PinRequestOutcome): Promise<void> {
    const isPinned = (await this.#options.pinning.get(request.account, parseCid(request.cid)))?.mode === 'recursive';
    // The pin was removed after the attempt found it.
    const isLost = outcome.status === 'pinned' && !isPinned;
    const stored: PinRequestOutcome = isLost ? { status: 'queued', dueAt: this.#now() } : outcome;
    if ((await this.#requests.finish(request, stored)) === undefined) return;
    if (stored.status === 'queued') this.counts.retried++;
    else this.counts[stored.status]++;
  }

  #outcomeOf({ createdAt, attempts }: PinRequest, error: unknown): PinRequestOutcome {
    const reason = isCairnError(error) ? errorText(error) : 'An internal error ended the attempt.';
    if (isCairnError(error) && finalCodes.has(error.code)) return { status: 'failed', reason };
    const { retryMs, retryMsMax } = pinQueueLimits;
    const dueAt = this.#now() + Math.min(retryMsMax, retryMs * 2 ** Math.min(attempts, 16));
    const expiresAt = Math.floor(createdAt / 1000) + this.#options.expiryMs;
    if (this.#now() < expiresAt) return { status: 'queued', reason, dueAt: Math.min(dueAt, expiresAt) };
    const tried = `Gave up after ${attempts + 1} attempts in ${Math.round(this.#options.expiryMs / 1000)} s`;
    return { status: 'failed', reason: `${tried}: ${reason}` };
  }

  /** Removes the pins of removed requests, unless another request needs them or the account has pinned the CID itself. */
  async #releasePins(): Promise<void> {
    for await (const released of this.#requests.released()) {
      await this.#requests.settleReleased(released);
      if (this.#stop.signal.aborted) return;
    }
  }
}
