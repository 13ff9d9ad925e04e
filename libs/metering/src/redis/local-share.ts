import { type BucketState, bucketTokens, grantOf, takeFrom } from '../limits/counter.ts';
import type { HoldRequest, HoldResult, LimitRule, TakeRequest, TakeResult } from '../limits/limit-store.ts';
import { lotOf } from '../limits/token-lot.ts';

/**
 * Refusals end after this time in milliseconds: Redis can be back by then. A process asks its own memory, so that asking again
 * costs little.
 */
const refusalMs = 1000;

/** Speed at which the share of a window can be used, as a multiple of even use until its end. */
const paceFactor = 4;

/** Last answer of Redis about a counter, with the times of the server. */
export interface KnownCounter {
  /** Names the creation of the counter. */
  readonly epoch: string;
  /** Tokens of a bucket, or used tokens of a window. */
  readonly value: number;
  /** Time of the tokens, or start of the window. */
  readonly at: number;
}

/** Facts at the start of a share. */
export interface ShareStart {
  readonly rule: LimitRule;
  readonly known: KnownCounter | undefined;
  /** Processes that share the limit. */
  readonly processes: number;
  /** Time of the server in milliseconds since 1970, as far as this process can tell. */
  readonly now: number;
}

/** Share of one counter that a process grants from its own memory while Redis is away. */
export interface CounterShare {
  take(request: Omit<TakeRequest, 'key' | 'rule'>, now: number): TakeResult;
  /** Tokens that Redis has to be charged for, at this time. Negative: tokens were returned. */
  owed(now: number): number;
  readonly rule: LimitRule;
}

export function startShare(start: ShareStart): CounterShare {
  return start.rule.kind === 'bucket' ? new BucketShare(start, start.rule) : new WindowShare(start, start.rule);
}

/**
 * Share of a bucket: rate and capacity divided by the number of processes. It starts with one lot, since other processes may have
 * taken the tokens that this process knows of. A share of less than one token would never grant a request.
 */
class BucketShare implements CounterShare {
  readonly rule: LimitRule;
  readonly #rule: { readonly kind: 'bucket'; readonly ratePerSecond: number; readonly capacity: number };
  readonly #since: number;
  #state: BucketState;
  #taken = 0;

  constructor({ known, processes, now }: ShareStart, rule: Extract<LimitRule, { kind: 'bucket' }>) {
    this.rule = rule;
    this.#since = now;
    const capacity = rule.capacity === 0 ? 0 : Math.max(1, rule.capacity / processes);
    this.#rule = { kind: 'bucket', ratePerSecond: rule.ratePerSecond / processes, capacity };
    const last = known && bucketTokens({ tokens: known.value, at: known.at }, rule.ratePerSecond, now);
    // A debt stays in Redis: paying it here would refuse everything for its time.
    this.#state = { tokens: Math.max(0, Math.min(capacity, lotOf(rule), last ?? rule.capacity)), at: now };
  }

  take(request: Omit<TakeRequest, 'key' | 'rule'>, now: number): TakeResult {
    const { result, state } = takeFrom(this.#state, { ...request, rule: this.#rule }, now);
    this.#state = state as BucketState;
    this.#taken += result.granted - (request.give ?? 0);
    return { ...result, retryAfterMs: Math.min(result.retryAfterMs, refusalMs) };
  }

  /**
   * The bucket of Redis has refilled meanwhile, at most to its capacity: what an empty one could not hold is not owed, but what is
   * missing from the share always is. The lot at the start is owed, or each lost connection would add one to the limit.
   */
  owed(now: number): number {
    const { ratePerSecond, capacity } = this.#rule;
    const missing = capacity - Math.min(capacity, bucketTokens(this.#state, ratePerSecond, now));
    const overflow = Math.max(0, (Math.max(0, now - this.#since) * ratePerSecond) / 1000 - capacity);
    return Math.min(this.#taken, Math.max(missing, this.#taken - overflow));
  }
}

/**
 * Share of a window: the tokens left by the last answer, divided by the number of processes. One lot is available immediately, the
 * others at four times the speed of even use until the end of the window: other processes may have used them.
 */
class WindowShare implements CounterShare {
  readonly rule: LimitRule;
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #known: KnownCounter | undefined;
  readonly #processes: number;
  #since: number;
  #start: number;
  #tokens: number;
  #taken = 0;

  constructor({ known, processes, now }: ShareStart, rule: Extract<LimitRule, { kind: 'window' }>) {
    this.rule = rule;
    this.#limit = rule.limit;
    this.#windowMs = rule.seconds * 1000;
    this.#known = known;
    this.#processes = processes;
    this.#since = now;
    this.#start = now - (now % this.#windowMs);
    this.#tokens = this.#shareAt(this.#start);
  }

  take({ give = 0, min, want }: Omit<TakeRequest, 'key' | 'rule'>, now: number): TakeResult {
    this.#open(now);
    this.#taken -= give;
    const available = this.#available(now);
    const granted = grantOf(available, min, want);
    this.#taken += granted;
    return {
      granted,
      remaining: Math.max(0, Math.floor(this.#tokens - this.#taken)),
      retryAfterMs: granted > 0 || min === 0 ? 0 : refusalMs,
      endsAt: this.#start + this.#windowMs,
    };
  }

  owed(now: number): number {
    this.#open(now);
    return this.#taken;
  }

  /** Starts the next window when the present one has ended. */
  #open(now: number): void {
    if (now < this.#start + this.#windowMs) return;
    this.#start = now - (now % this.#windowMs);
    this.#since = now;
    this.#tokens = this.#shareAt(this.#start);
    this.#taken = 0;
  }

  #shareAt(start: number): number {
    const left = Math.max(0, this.#limit - (this.#known?.at === start ? this.#known.value : 0));
    return Math.min(left, Math.max(1, left / this.#processes));
  }

  #available(now: number): number {
    const pace = (paceFactor * this.#tokens) / (this.#start + this.#windowMs - this.#since);
    const opened = Math.min(lotOf(this.rule), this.#tokens) + pace * Math.max(0, now - this.#since);
    return Math.min(this.#tokens, opened) - this.#taken;
  }
}

/**
 * Permits that a process grants from its own memory: its share of the limit, at least one. Permits in use stay.
 * @param before permits that the process holds
 */
export function holdShare({ min, want, limit }: HoldRequest, before: number, processes: number): HoldResult {
  const share = limit === 0 ? 0 : Math.max(1, Math.floor(limit / processes));
  const held = min <= share ? Math.max(min, Math.min(want, share)) : Math.min(before, min);
  return { held, others: 0 };
}
