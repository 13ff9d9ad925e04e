/** What is counted for one account, key, service, operation and network in one span of time. */
export interface UsageCounts {
  /** Requests, refused ones among them. */
  readonly requests: number;
  /** Requests that ended with an error, refused ones among them. */
  readonly errors: number;
  /** Requests that a limit refused. */
  readonly limited: number;
  readonly credits: number;
  /** Bytes of bodies. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Gas that executions used. */
  readonly gas: number;
  /** Sum of the times that requests took, in microseconds. */
  readonly durationUs: number;
  /** How many requests took how long: see {@link latencyBoundsMs}. */
  readonly latency: readonly number[];
}

/** What is counted apart. */
export interface UsageSubject {
  readonly accountId: string;
  /** A name for the key that does not open anything. */
  readonly key: string;
  readonly service: string;
  readonly operation: string;
  /** Empty for services that know no networks. */
  readonly network: string;
}

/** Counts of one span of time. */
export interface UsageRow extends UsageSubject, UsageCounts {
  /** When the span begins, in milliseconds since 1970. */
  readonly at: number;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Upper bounds of the latency counts, in milliseconds; the last count has all that took longer. */
export const latencyBoundsMs: readonly number[] = Array.from({ length: 15 }, (_, index) => 0.25 * 2 ** index);

/** Index of the count that a duration belongs to. */
export function latencyIndex(milliseconds: number): number {
  const quarters = Math.ceil(milliseconds * 4);
  return quarters <= 1 ? 0 : Math.min(latencyBoundsMs.length, 32 - Math.clz32(quarters - 1));
}

/** The duration in milliseconds that a share of all requests stays below: an upper bound, at most twice the true one. */
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

/** Nothing yet. */
export function noCounts(): { -readonly [Field in keyof UsageCounts]: UsageCounts[Field] } & { latency: number[] } {
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

export type MutableCounts = ReturnType<typeof noCounts>;

/** Adds counts to others. */
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
