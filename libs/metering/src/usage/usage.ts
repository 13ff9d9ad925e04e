/** Counts for one account, key, service, operation and network in one span of time. */
export interface UsageCounts {
  /** Requests, including refused ones. */
  readonly requests: number;
  /** Requests that ended with an error, including refused ones. */
  readonly errors: number;
  /** Requests that a limit refused. */
  readonly limited: number;
  readonly credits: number;
  /** Bytes of request bodies. */
  readonly bytesIn: number;
  /** Bytes of response bodies. */
  readonly bytesOut: number;
  /** Gas that executions used. */
  readonly gas: number;
  /** Sum of the durations of requests, in microseconds. */
  readonly durationUs: number;
  /** Histogram of durations: one count for each bound of {@link latencyBoundsMs}, and one for longer requests. */
  readonly latency: readonly number[];
}

/** Subject of a usage row: rows with different subjects are counted separately. */
export interface UsageSubject {
  readonly accountId: string;
  /** Reference of the key, which is not a credential. */
  readonly key: string;
  readonly service: string;
  readonly operation: string;
  /** Empty for services without networks. */
  readonly network: string;
}

/** Counts of one span of time. */
export interface UsageRow extends UsageSubject, UsageCounts {
  /** Start of the span, in milliseconds since 1970. */
  readonly at: number;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Upper bounds of the latency counts, in milliseconds. One further count is for longer requests. */
export const latencyBoundsMs: readonly number[] = Array.from({ length: 15 }, (_, index) => 0.25 * 2 ** index);

/** Returns the index of the latency count for a duration. */
export function latencyIndex(milliseconds: number): number {
  const quarters = Math.ceil(milliseconds * 4);
  return quarters <= 1 ? 0 : Math.min(latencyBoundsMs.length, 32 - Math.clz32(quarters - 1));
}

/** Returns an upper bound of a quantile of durations in milliseconds, at most twice its true value. */
export function latencyQuantile(latency: readonly number[], share: number): number | undefined {
  const total = latency.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let seen = 0;
  for (const [index, count] of latency.entries()) {
    seen += count;
    if (seen >= total * share) return latencyBoundsMs[index] ?? Number.POSITIVE_INFINITY;
  }
  return undefined;
}

/** Creates counts that are all zero. */
export function zeroCounts(): { -readonly [Field in keyof UsageCounts]: UsageCounts[Field] } & { latency: number[] } {
  return {
    requests: 0,
    errors: 0,
    limited: 0,
    credits: 0,
    bytesIn: 0,
    bytesOut: 0,
    gas: 0,
    durationUs: 0,
    latency: new Array(latencyBoundsMs.length + 1).fill(0),
  };
}

export type MutableCounts = ReturnType<typeof zeroCounts>;

/** Adds `counts` to `sum` in place, and returns `sum`. */
export function addCounts(sum: MutableCounts, counts: UsageCounts): MutableCounts {
  sum.requests += counts.requests;
  sum.errors += counts.errors;
  sum.limited += counts.limited;
  sum.credits += counts.credits;
  sum.bytesIn += counts.bytesIn;
  sum.bytesOut += counts.bytesOut;
  sum.gas += counts.gas;
  sum.durationUs += counts.durationUs;
  for (const [index, count] of counts.latency.entries()) sum.latency[index] = (sum.latency[index] ?? 0) + count;
  return sum;
}
