/** Rule of a shared counter. */
export type LimitRule =
  /** A token bucket of `capacity` tokens that refills at `ratePerSecond`. */
  | { readonly kind: 'bucket'; readonly ratePerSecond: number; readonly capacity: number }
  /** A fixed window: `limit` tokens in each window of `seconds`. Windows are aligned to 1970 (UTC). */
  | { readonly kind: 'window'; readonly limit: number; readonly seconds: number };

export interface TakeRequest {
  readonly key: string;
  readonly rule: LimitRule;
  /** Tokens returned before any are taken. A negative number is a debt. */
  readonly give?: number;
  /** Minimum grant. A counter with fewer tokens grants none. 0 requests none. */
  readonly min: number;
  /** Maximum grant. Beyond `min`, at most a quarter of the available tokens is granted. */
  readonly want: number;
}

export interface TakeResult {
  readonly granted: number;
  /** Tokens left in the counter; 0 if it is in debt. */
  readonly remaining: number;
  /** Milliseconds until `min` tokens are available; 0 if they were granted. */
  readonly retryAfterMs: number;
  /** End of the current window, in milliseconds since 1970. Absent for buckets. */
  readonly endsAt?: number;
}

export interface HoldRequest {
  readonly key: string;
  /** Unique name of the process that holds the permits. */
  readonly holder: string;
  /** Minimum number of permits to hold after the call. */
  readonly min: number;
  /** Maximum number of permits to hold after the call. Beyond `min`, at most a quarter of the free permits is added. */
  readonly want: number;
  /** Permits of all holders together. */
  readonly limit: number;
  /** Lifetime of the permits without another call, in milliseconds. */
  readonly ttlMs: number;
}

export interface HoldResult {
  /** Permits of the holder after the call: `min` to `want`, or as many as before if `min` exceeds the free permits. */
  readonly held: number;
  /** Permits of all other holders. */
  readonly others: number;
}

/**
 * Port of the counters that processes share. Processes take tokens in lots, so that most requests touch no shared state. The
 * sum of all grants never exceeds the rule. Counters survive a killed process, but not necessarily a power cut.
 */
export interface LimitStore {
  /** Takes tokens. Each request is atomic; results are in the order of the requests. */
  take(requests: readonly TakeRequest[]): Promise<TakeResult[]>;
  /** Sets the number of permits that a holder holds. */
  hold(request: HoldRequest): Promise<HoldResult>;
  close(): Promise<void>;
}
