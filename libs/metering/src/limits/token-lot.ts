import type { LimitRule, LimitStore, Taken } from './limit-store.ts';

/** Lots are used up in about this long at full speed, in seconds. */
const lotSeconds = 0.1;
/** Share of a window that one lot is at most: what a killed process takes with it. */
const lotShare = 1 / 2000;
/** What is left of a lot that nobody used for this long is given back, in milliseconds. */
const idleMs = 250;

/** A lot of a shared counter that one process holds. Most requests find it full and touch nothing that is shared. */
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
  #filling: Promise<Taken> | undefined;

  constructor(store: LimitStore, key: string, rule: LimitRule, now: () => number) {
    this.#store = store;
    this.#key = key;
    this.#rule = rule;
    this.#now = now;
    const most = rule.kind === 'bucket' ? rule.ratePerSecond * lotSeconds : rule.limit * lotShare;
    this.#lot = Math.max(1, Math.floor(most));
    this.#remaining = this.allowed;
  }

  /** What the rule allows at most at one time. */
  get allowed(): number {
    return this.#rule.kind === 'bucket' ? this.#rule.capacity : this.#rule.limit;
  }

  /** End of the window that was last taken from, in milliseconds. */
  get endsAt(): number {
    return this.#endsAt;
  }

  /** What is left, as far as this process knows. */
  get remaining(): number {
    return Math.max(0, Math.floor(this.#remaining + this.#tokens));
  }

  /** Takes from the lot; false where it is too small. */
  tryTake(amount: number, now = this.#now()): boolean {
    if (now >= this.#endsAt) this.#tokens = 0;
    if (this.#tokens < amount) return false;
    this.#tokens -= amount;
    this.#usedAt = now;
    return true;
  }

  /** Takes, with a new lot where that is needed. Resolves to nothing, or to when to come again in milliseconds. */
  async take(amount: number): Promise<number | undefined> {
    while (!this.tryTake(amount)) {
      const now = this.#now();
      const refusal = this.#refusal;
      // After a clock is set back, a refusal would last for as long as the step.
      const isRefused = refusal !== undefined && refusal.since <= now && now < refusal.until;
      if (isRefused && amount >= refusal.min) return refusal.until - now;
      if (this.#filling !== undefined) {
        await this.#filling;
        continue;
      }
      const { granted, retryAfterMs } = await this.#fill(amount);
      if (granted > 0) continue;
      const since = this.#now();
      this.#refusal = { min: amount, since, until: since + Math.max(1, retryAfterMs) };
    }
    return undefined;
  }

  /** Takes what has been used already, whether it is there or not: a debt is paid with the next lot. */
  charge(amount: number): void {
    if (this.#now() >= this.#endsAt) this.#tokens = 0;
    this.#tokens -= amount;
    this.#usedAt = this.#now();
  }

  /** Gives back what nobody uses, and pays debts. */
  async settle({ isClosing = false } = {}): Promise<void> {
    if (this.#filling !== undefined || this.#tokens === 0) return;
    if (!isClosing && this.#tokens > 0 && this.#now() - this.#usedAt < idleMs) return;
    await this.#fill(0);
  }

  async #fill(min: number): Promise<Taken> {
    const now = this.#now();
    const give = now >= this.#endsAt ? Math.min(0, this.#tokens) : this.#tokens;
    this.#tokens = 0;
    const want = min === 0 ? 0 : Math.max(min, this.#lot);
    this.#filling = this.#store
      .take([{ key: this.#key, rule: this.#rule, give, min, want }])
      .then(([taken]) => taken as Taken);
    try {
      const taken = await this.#filling;
      // What was charged meanwhile stays charged.
      this.#tokens += taken.granted;
      this.#remaining = taken.remaining;
      this.#endsAt = taken.endsAt ?? Number.POSITIVE_INFINITY;
      return taken;
    } catch (error) {
      this.#tokens += give;
      throw error;
    } finally {
      this.#filling = undefined;
    }
  }
}
