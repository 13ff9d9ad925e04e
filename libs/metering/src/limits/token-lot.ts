// Hot path: every request of both services. Bench: metering.bench.ts.
import type { LimitRule, LimitStore, TakeResult } from './limit-store.ts';

/** Size of a lot of a bucket, in seconds of its refill rate. */
const lotSeconds = 0.1;
/** Size of a lot of a window, as a share of its limit: the most that a killed process loses. */
const lotShare = 1 / 2000;
/** Tokens of a lot return to the counter after this time without use, in milliseconds. */
const idleMs = 250;

/** Tokens that a process takes from a counter at a time. */
export function lotOf(rule: LimitRule): number {
  const most = rule.kind === 'bucket' ? rule.ratePerSecond * lotSeconds : rule.limit * lotShare;
  return Math.max(1, Math.floor(most));
}

/** Tokens of a shared counter that one process holds. Most requests take from the lot and touch no shared state. */
export class TokenLot {
  readonly #store: LimitStore;
  readonly #key: string;
  readonly #rule: LimitRule;
  readonly #now: () => number;
  readonly #lot: number;
  #tokens = 0;
  #remaining: number;
  #endsAt = Number.POSITIVE_INFINITY;
  #usedAt = 0;
  #refusal: { readonly min: number; readonly since: number; readonly until: number } | undefined;
  #filling: Promise<TakeResult> | undefined;

  constructor(store: LimitStore, key: string, rule: LimitRule, now: () => number) {
    this.#store = store;
    this.#key = key;
    this.#rule = rule;
    this.#now = now;
    this.#lot = lotOf(rule);
    this.#remaining = this.allowed;
  }

  /** Capacity of the bucket, or limit of the window. */
  get allowed(): number {
    return this.#rule.kind === 'bucket' ? this.#rule.capacity : this.#rule.limit;
  }

  /** End of the window of the last lot, in milliseconds since 1970. Infinite for buckets. */
  get endsAt(): number {
    return this.#endsAt;
  }

  /** Tokens left in the counter and the lot, according to the last answer of the store. */
  get remaining(): number {
    return Math.max(0, Math.floor(this.#remaining + this.#tokens));
  }

  /** Takes tokens from the lot. Returns false if the lot has too few. */
  tryTake(amount: number, now = this.#now()): boolean {
    if (now >= this.#endsAt) this.#tokens = 0;
    if (this.#tokens < amount) return false;
    this.#tokens -= amount;
    this.#usedAt = now;
    return true;
  }

  /** Takes tokens, with a new lot if needed. Resolves to `undefined`, or after a refusal to the milliseconds until a retry. */
  async take(amount: number): Promise<number | undefined> {
    while (!this.tryTake(amount)) {
      const waitMs = this.#refusedFor(amount);
      if (waitMs !== undefined) return waitMs;
      if (this.#filling !== undefined) await this.#filling;
      else await this.#refill(amount);
    }
    return undefined;
  }

  /**
   * Requests a new lot if this one has too few tokens, and takes none: a {@link take} that follows waits for the same lot. An error is
   * left to that `take`, which meets it or asks again.
   */
  prepare(amount: number): void {
    const has = this.#now() < this.#endsAt ? this.#tokens : 0;
    if (has >= amount || this.#filling !== undefined || this.#refusedFor(amount) !== undefined) return;
    this.#refill(amount).catch(() => {});
  }

  /** Returns the milliseconds for which the store refuses this amount, according to an earlier answer. */
  #refusedFor(amount: number): number | undefined {
    const now = this.#now();
    const refusal = this.#refusal;
    // The lower bound ends a refusal from before the clock was set back.
    const isRefused = refusal !== undefined && refusal.since <= now && now < refusal.until;
    return isRefused && amount >= refusal.min ? refusal.until - now : undefined;
  }

  async #refill(amount: number): Promise<void> {
    const { granted, retryAfterMs } = await this.#fill(amount);
    if (granted > 0) return;
    const since = this.#now();
    this.#refusal = { min: amount, since, until: since + Math.max(1, retryAfterMs) };
  }

  /** Takes tokens for work already done. The lot can end below zero; the next lot pays the debt. */
  charge(amount: number): void {
    if (this.#now() >= this.#endsAt) this.#tokens = 0;
    this.#tokens -= amount;
    this.#usedAt = this.#now();
  }

  /** Returns idle tokens to the counter, and pays debts. */
  async settle({ isClosing = false } = {}): Promise<void> {
    if (this.#filling !== undefined || this.#tokens === 0) return;
    if (!isClosing && this.#tokens > 0 && this.#now() - this.#usedAt < idleMs) return;
    await this.#fill(0);
  }

  /** Returns the tokens of the lot, or its debt, and takes a new lot of at least `min`. */
  async #fill(min: number): Promise<TakeResult> {
    const now = this.#now();
    const give = now >= this.#endsAt ? Math.min(0, this.#tokens) : this.#tokens;
    this.#tokens = 0;
    const want = min === 0 ? 0 : Math.max(min, this.#lot);
    this.#filling = this.#store
      .take([{ key: this.#key, rule: this.#rule, give, min, want }])
      .then(([taken]) => taken as TakeResult);
    try {
      const taken = await this.#filling;
      // `+=` keeps charges made while the store was asked.
      this.#tokens += taken.granted;
      this.#remaining = taken.remaining;
      // A store whose clock is behind reports a window that has ended here. Its tokens are valid for this request.
      this.#endsAt = Math.max(taken.endsAt ?? Number.POSITIVE_INFINITY, this.#now() + 1);
      return taken;
    } catch (error) {
      this.#tokens += give;
      throw error;
    } finally {
      this.#filling = undefined;
    }
  }
}
