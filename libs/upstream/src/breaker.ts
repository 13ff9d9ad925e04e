import type { UpstreamLimits } from './limits.ts';

/** Circuit breaker: opens after consecutive failures, and lets one probe through after a growing time. */
export class CircuitBreaker {
  readonly #limits: UpstreamLimits;
  readonly #now: () => number;
  #failures = 0;
  #openMs: number;
  #openUntil = 0;
  #isProbing = false;

  constructor(limits: UpstreamLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#openMs = limits.openMsMin;
  }

  /** Reports whether a request may start. */
  get isClosed(): boolean {
    return this.#openUntil === 0 || (this.#now() >= this.#openUntil && !this.#isProbing);
  }

  /** Reports whether the failures last so long that the upstream is taken for down, not for disturbed. */
  get isLasting(): boolean {
    return this.#openUntil !== 0 && this.#openMs >= this.#limits.outageMs;
  }

  get state(): 'closed' | 'open' | 'half-open' {
    if (this.#openUntil === 0) return 'closed';
    return this.#now() >= this.#openUntil ? 'half-open' : 'open';
  }

  /** Marks the start of a request, which is the probe of a half-open breaker. */
  started(): void {
    if (this.#openUntil !== 0) this.#isProbing = true;
  }

  /** Returns true when this success closes the breaker. */
  succeeded(): boolean {
    const wasOpen = this.#openUntil !== 0;
    this.#failures = 0;
    this.#openUntil = 0;
    this.#openMs = this.#limits.openMsMin;
    this.#isProbing = false;
    return wasOpen;
  }

  /** Returns true when this failure opens the breaker. */
  failed(): boolean {
    this.#failures += 1;
    const isReopened = this.#isProbing;
    this.#isProbing = false;
    if (isReopened) this.#openMs = Math.min(this.#openMs * 2, this.#limits.openMsMax);
    else if (this.#failures < this.#limits.failuresMax || this.#openUntil > this.#now()) return false;
    this.#openUntil = this.#now() + this.#openMs;
    return !isReopened;
  }

  /** Ends a request without success or failure, such as an aborted one. */
  released(): void {
    this.#isProbing = false;
  }
}
