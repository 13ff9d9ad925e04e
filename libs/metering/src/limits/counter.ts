import type { LimitRule, TakeRequest, TakeResult } from './limit-store.ts';

/** Record of a bucket: its tokens at a time in milliseconds since 1970. */
export interface BucketState {
  readonly tokens: number;
  readonly at: number;
}

/** Record of a window: the tokens used since its start in milliseconds since 1970. */
export interface WindowState {
  readonly used: number;
  readonly start: number;
}

export type CounterState = BucketState | WindowState;

/**
 * Takes tokens from a counter. `redis/scripts.ts` has the same rules in Lua.
 * @param state record of the counter; `undefined` for a new one
 * @returns the result and the record to store
 */
export function takeFrom(
  state: CounterState | undefined,
  { rule, give = 0, min, want }: Omit<TakeRequest, 'key'>,
  now: number,
): { readonly result: TakeResult; readonly state: CounterState } {
  const { available, keep, endsAt } = open(state, rule, give, now);
  const granted = grantOf(available, min, want);
  const left = available - granted;
  const missing = min - available;
  const waitMs = rule.kind === 'bucket' ? (missing / rule.ratePerSecond) * 1000 : (endsAt ?? now) - now;
  const result = {
    granted,
    remaining: Math.max(0, Math.floor(left)),
    retryAfterMs: granted > 0 || min === 0 ? 0 : Math.ceil(waitMs),
    ...(endsAt !== undefined && { endsAt }),
  };
  return { result, state: keep(left) };
}

/** Returns the tokens that a request gets: none, or at least `min`, and at most a quarter of those available beyond it. */
export function grantOf(available: number, min: number, want: number): number {
  return min > 0 && available >= min ? Math.max(min, Math.min(want, Math.floor(available / 4))) : 0;
}

/** Returns the tokens of a bucket at a time. */
export function bucketTokens({ tokens, at }: BucketState, ratePerSecond: number, now: number): number {
  // A clock that was set back adds no tokens, and refilling continues from the earlier time.
  return tokens + (Math.max(0, now - Math.min(at, now)) * ratePerSecond) / 1000;
}

/** Returns the tokens available in a counter, and a function that makes the record of the tokens left. */
function open(stored: CounterState | undefined, rule: LimitRule, give: number, now: number) {
  if (rule.kind === 'bucket') {
    const { ratePerSecond, capacity } = rule;
    const tokens = stored !== undefined && 'tokens' in stored ? bucketTokens(stored, ratePerSecond, now) : capacity;
    return {
      // A debt counts against a full bucket, not against tokens that it could not hold.
      available: Math.min(capacity, Math.min(capacity, tokens) + give),
      keep: (left: number): BucketState => ({ tokens: left, at: now }),
      endsAt: undefined,
    };
  }
  const { limit, seconds } = rule;
  const windowMs = seconds * 1000;
  const present = now - (now % windowMs);
  const before = stored !== undefined && 'used' in stored ? stored : undefined;
  // A clock that was set back does not refill a window. A window more than one length ahead is replaced.
  const isBehind = before !== undefined && before.start > present;
  const start = isBehind && before.start - present <= windowMs ? before.start : present;
  const used = isBehind || before?.start === start ? before.used : 0;
  return {
    available: Math.min(limit, limit - used + give),
    keep: (left: number): WindowState => ({ used: limit - left, start }),
    endsAt: start + windowMs,
  };
}
