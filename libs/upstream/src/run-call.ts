import { errorOfCall } from './call-error.ts';
import { AttemptFailure, callEnded, type FailedAttempt, type FailureKind, type UpstreamError } from './errors.ts';
import type { UpstreamLimits } from './limits.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamAnswer, UpstreamCall } from './upstream-call.ts';

/** Parts of the pool that one call needs. */
export interface CallContext {
  readonly limits: UpstreamLimits;
  readonly upstreams: readonly Upstream[];
  isChainVerified(upstream: Upstream): boolean;
  /** Number of upstreams whose chain id may still be verified, and a wait for the next check. */
  unverified(): { readonly count: number; next(): Promise<void> };
  /** Sends one attempt, verifies its answer and records the outcome. @throws AttemptFailure */
  attempt<T>(upstream: Upstream, call: UpstreamCall<T>, signal: AbortSignal): Promise<T>;
  /** Takes one hedge from the budget. */
  mayHedge(upstream: Upstream): boolean;
}

/** First delay before an upstream is asked again by the same call, in milliseconds; it doubles each time. */
const backoffMs = 100;

/** One call over several upstreams: attempts, hedges, failover and the final error. */
export class CallRun<T> {
  readonly #context: CallContext;
  readonly #call: UpstreamCall<T>;
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #attempts: (FailedAttempt & { readonly failure: AttemptFailure })[] = [];
  /** Upstreams that cannot answer this call: wrong, pruned, unsupported or refused. */
  readonly #excluded = new Set<Upstream>();
  /** Upstreams asked in this round, and in any round. */
  readonly #tried = new Set<Upstream>();
  readonly #asked = new Set<Upstream>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #running = 0;
  /** Unverified upstreams at the last wait for a check. */
  #unverifiedCount = Number.POSITIVE_INFINITY;
  #started = 0;
  #round = 0;
  #isDone = false;
  #resolve: (answer: UpstreamAnswer<T>) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(context: CallContext, call: UpstreamCall<T>, signal: AbortSignal) {
    this.#context = context;
    this.#call = call;
    this.#signal = signal;
  }

  /** @throws UpstreamError, or the reason of the signal */
  async result(): Promise<UpstreamAnswer<T>> {
    const abort = () => this.#finish(() => this.#reject(this.#signal.reason));
    try {
      return await new Promise((resolve, reject) => {
        this.#resolve = resolve;
        this.#reject = reject;
        this.#signal.addEventListener('abort', abort, { once: true });
        if (this.#signal.aborted) abort();
        else this.#next();
      });
    } finally {
      this.#signal.removeEventListener('abort', abort);
    }
  }

  /** Error for a deadline: names the attempts so far. */
  deadlineError(): UpstreamError {
    return this.#error('No upstream answered in time');
  }

  /** Starts the next attempt, waits for one, or fails. */
  #next(): void {
    if (this.#isDone) return;
    const { attemptsMax } = this.#context.limits;
    const upstream = this.#started < attemptsMax ? this.#choose() : undefined;
    if (upstream !== undefined) {
      const waitMs = upstream.rate.waitMs;
      if (waitMs === 0) this.#start(upstream);
      else if (this.#running === 0) this.#later(waitMs, () => this.#next());
      return;
    }
    if (this.#running > 0 || this.#waitsForCheck()) return;
    const isRetryable = !this.#isAbsent && this.#attempts.some(({ kind }) => this.#isRetryable(kind));
    if (this.#started < attemptsMax && isRetryable && this.#context.upstreams.some((one) => !this.#excluded.has(one))) {
      this.#tried.clear();
      this.#round += 1;
      this.#later(backoffMs * 2 ** this.#round, () => this.#next());
      return;
    }
    this.#finish(() => this.#reject(this.#error('No upstream answered')));
  }

  /** Waits until another upstream may be used. The first one that is verified at the start of a pool can be a liar. */
  #waitsForCheck(): boolean {
    const { count, next } = this.#context.unverified();
    if (count === 0 || count >= this.#unverifiedCount) return false;
    this.#unverifiedCount = count;
    this.#running += 1;
    void next().then(() => {
      this.#running -= 1;
      this.#next();
    });
    return true;
  }

  /** The best upstream that was not tried in this round. */
  #choose(): Upstream | undefined {
    const { method, need, avoid } = this.#call;
    const usable = this.#context.upstreams.filter(
      (upstream) =>
        !this.#tried.has(upstream) &&
        !this.#excluded.has(upstream) &&
        !upstream.isIsolated &&
        !upstream.isFull &&
        upstream.breaker.isClosed &&
        this.#context.isChainVerified(upstream) &&
        upstream.capabilities.supports(method) &&
        (need === undefined || upstream.capabilities.reaches(need)),
    );
    // Upstreams whose known head is below the block come last. Their real head may be higher, since it is polled.
    const isBehind = (upstream: Upstream) => need !== undefined && upstream.capabilities.height < need.number;
    const score = (upstream: Upstream) => upstream.latency.average * (1 + upstream.inFlight / 8);
    const isAvoided = ({ name }: Upstream) => avoid?.has(name) === true;
    const order = (one: Upstream, other: Upstream) =>
      Number(isAvoided(one)) - Number(isAvoided(other)) ||
      Number(one.rate.waitMs > 0) - Number(other.rate.waitMs > 0) ||
      Number(isBehind(one)) - Number(isBehind(other)) ||
      score(one) - score(other);
    return usable.sort(order)[0];
  }

  #start(upstream: Upstream): void {
    this.#tried.add(upstream);
    this.#asked.add(upstream);
    this.#running += 1;
    this.#started += 1;
    const { hedgeMsMin, hedgeMsMax } = this.#context.limits;
    const hedgeMs = Math.min(Math.max(upstream.latency.p95 ?? hedgeMsMax, hedgeMsMin), hedgeMsMax);
    const timer = this.#later(hedgeMs, () => {
      if (this.#choose() !== undefined && this.#context.mayHedge(upstream)) this.#next();
    });
    this.#context.attempt(upstream, this.#call, this.#stop.signal).then(
      (value) => this.#finish(() => this.#resolve({ value, upstream: upstream.name })),
      (error: unknown) => {
        clearTimeout(timer);
        this.#running -= 1;
        if (this.#isDone) return;
        if (!(error instanceof AttemptFailure)) return this.#finish(() => this.#reject(error));
        this.#attempts.push({ upstream: upstream.name, kind: error.kind, reason: error.message, failure: error });
        if (!this.#isRetryable(error.kind)) this.#excluded.add(upstream);
        this.#next();
      },
    );
  }

  #isRetryable(kind: FailureKind): boolean {
    return kind === 'failed' || kind === 'limited' || (kind === 'stale' && !this.#call.mayBeAbsent);
  }

  #later(ms: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  #finish(settle: () => void): void {
    if (this.#isDone) return;
    this.#isDone = true;
    for (const timer of this.#timers) clearTimeout(timer);
    settle();
    this.#stop.abort(callEnded);
  }

  #error(summary: string): UpstreamError {
    const { upstreams } = this.#context;
    const isOpen = !this.#isAbsent && upstreams.some((upstream) => this.#mayStillAnswer(upstream));
    return errorOfCall(this.#call, { summary, attempts: this.#attempts, upstreams, isOpen });
  }

  /** Reports whether enough upstreams lack the result to decide for those that fail. Each is asked once. */
  get #isAbsent(): boolean {
    if (this.#call.mayBeAbsent !== true) return false;
    return this.#attempts.filter(({ kind }) => kind === 'stale').length >= this.#context.limits.absencesMin;
  }

  /** Reports whether the upstream has given no final answer, and is not known to be unable to. */
  #mayStillAnswer(upstream: Upstream): boolean {
    const { method, need } = this.#call;
    const { breaker, capabilities } = upstream;
    if (this.#excluded.has(upstream) || upstream.isIsolated || breaker.isLasting) return false;
    if (!capabilities.supports(method) || (need !== undefined && !capabilities.reaches(need))) return false;
    const wasUsable = breaker.isClosed && !upstream.isFull && this.#context.isChainVerified(upstream);
    return this.#asked.has(upstream) || !wasUsable;
  }
}
