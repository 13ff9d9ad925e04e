/** What a counter allows. */
export type LimitRule =
  /** A token bucket: `capacity` tokens, `ratePerSecond` of them new each second. */
  | { readonly kind: 'bucket'; readonly ratePerSecond: number; readonly capacity: number }
  /** So many in each span of `seconds`, spans counted from 1970 (UTC). */
  | { readonly kind: 'window'; readonly limit: number; readonly seconds: number };

export interface TakeRequest {
  readonly key: string;
  readonly rule: LimitRule;
  /** Given back before anything is taken; a debt where it is negative. */
  readonly give?: number;
  /** Less than this is not taken at all. 0 takes nothing. */
  readonly min: number;
  /** More than this is not taken. A quarter of what is there at most is taken beyond `min`. */
  readonly want: number;
}

export interface Taken {
  readonly granted: number;
  /** What is left in the counter. */
  readonly remaining: number;
  /** When `min` would be there, in milliseconds from now; 0 where it was granted. */
  readonly retryAfterMs: number;
  /** When the present span ends, in milliseconds since 1970; absent for buckets. */
  readonly endsAt?: number;
}

export interface HoldRequest {
  readonly key: string;
  /** Who holds: a process, by a name of its own. */
  readonly holder: string;
  /** Held at least, if it holds anything beyond what it has. */
  readonly min: number;
  readonly want: number;
  readonly limit: number;
  /** For how long, unless it asks again. */
  readonly ttlMs: number;
}

/**
 * The port to counters that processes share. Processes take from them in lots, so that a call costs no shared work; what is
 * granted in sum never exceeds a rule. Counters survive their processes, not necessarily a power cut.
 */
export interface LimitStore {
  /** Atomically, request by request. */
  take(requests: readonly TakeRequest[]): Promise<Taken[]>;
  /** How many slots the holder has now: between `min` and `want`, or as many as before where there is no room. */
  hold(request: HoldRequest): Promise<{ readonly held: number; readonly others: number }>;
  close(): Promise<void>;
}
