import type { UpstreamLimits } from './limits.ts';

/** Rate of one upstream: a token bucket for the configured rate, and pauses that the upstream demands. */
export class RateGuard {
  readonly #ratePerSecond: number;
  readonly #limits: UpstreamLimits;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;
  #pausedUntil = 0;
  #pauseMs: number;

  /** @param ratePerSecond calls per second; Infinity for no limit */
  constructor(ratePerSecond: number, limits: UpstreamLimits, now: () => number) {
    this.#ratePerSecond = ratePerSecond;
    this.#limits = limits;
    this.#now = now;
    this.#tokens = ratePerSecond;
    this.#filledAt = now();
    this.#pauseMs = limits.pauseMsMin;
  }

  /** Milliseconds until a call may start; 0 for now. */
  get waitMs(): number {
    const now = this.#now();
    this.#fill(now);
    const pause = Math.max(0, this.#pausedUntil - now);
    const refill = this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#ratePerSecond) * 1000;
    return Math.max(pause, refill);
  }

  /** Takes one call from the bucket. The balance may become negative, which later calls wait for. */
  take(): void {
    this.#fill(this.#now());
    if (this.#ratePerSecond !== Number.POSITIVE_INFINITY) this.#tokens -= 1;
  }

  /** Pauses after a rate limit. Returns the pause in milliseconds. */
  limited(retryAfterMs: number | undefined): number {
    const pause = Math.min(retryAfterMs ?? this.#pauseMs, this.#limits.retryAfterMsMax);
    this.#pauseMs = Math.min(this.#pauseMs * 2, this.#limits.pauseMsMax);
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + pause);
    return pause;
  }

  succeeded(): void {
    if (this.#now() >= this.#pausedUntil) this.#pauseMs = this.#limits.pauseMsMin;
  }

  #fill(now: number): void {
    if (this.#ratePerSecond === Number.POSITIVE_INFINITY) return;
    this.#tokens = Math.min(
      Math.max(1, this.#ratePerSecond),
      this.#tokens + ((now - this.#filledAt) / 1000) * this.#ratePerSecond,
    );
    this.#filledAt = now;
  }
}
