import { AuthError } from '@cairn/auth';
import {
  addCounts,
  dayMs,
  hourMs,
  latencyQuantile,
  minuteMs,
  type Resolution,
  type StoredBytes,
  type UsageCounts,
  type UsageRow,
  zeroCounts,
} from '@cairn/metering';

/** Spans: the last hour in minutes, the last day in hours, the last month in days. */
export const spans = {
  hour: { resolution: 'minute', stepMs: minuteMs, count: 60 },
  day: { resolution: 'hour', stepMs: hourMs, count: 24 },
  month: { resolution: 'day', stepMs: dayMs, count: 30 },
} as const satisfies Readonly<Record<string, { resolution: Resolution; stepMs: number; count: number }>>;

export type SpanName = keyof typeof spans;

type Sums = Omit<UsageCounts, 'latency'>;

export interface UsagePoint extends Sums {
  readonly at: number;
  readonly storedBytes: number;
}

export interface UsageGroup extends Sums {
  readonly name: string;
  /** Milliseconds. Upper bounds, at most twice the true values. */
  readonly latencyMs: { readonly p50: number | undefined; readonly p99: number | undefined; readonly mean: number };
}

export interface UsageSummary {
  readonly total: Sums;
  readonly points: readonly UsagePoint[];
  readonly operations: readonly UsageGroup[];
  readonly keys: readonly UsageGroup[];
  readonly networks: readonly UsageGroup[];
}

/** Time that charts cover: `count` steps from `from`, in milliseconds since 1970, to `to`, exclusive. */
export interface UsageRange {
  readonly resolution: Resolution;
  readonly stepMs: number;
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

/** Days that a range may have. */
const rangeDaysMax = 366;
/** Ranges up to this number of days are shown by hour. */
const hourlyDaysMax = 3;

/** Range of a span that ends now. It starts at a multiple of its step. */
export function rangeOfSpan(name: SpanName, now: number): UsageRange {
  const { resolution, stepMs, count } = spans[name];
  const to = now - (now % stepMs) + stepMs;
  return { resolution, stepMs, count, from: to - count * stepMs, to };
}

/** Range of whole days (UTC), both included: hours for a few days, else days. @throws VALUE_INVALID */
export function rangeOfDays(first: string, last: string): UsageRange {
  const from = Date.parse(`${first}T00:00:00Z`);
  const to = Date.parse(`${last}T00:00:00Z`) + dayMs;
  const days = (to - from) / dayMs;
  if (!(days >= 1)) throw rangeError('to', `expected a day that is not before ${first}`);
  if (days > rangeDaysMax) throw rangeError('from', `expected at most ${rangeDaysMax} days`);
  if (days > hourlyDaysMax) return { resolution: 'day', stepMs: dayMs, count: days, from, to };
  return { resolution: 'hour', stepMs: hourMs, count: days * 24, from, to };
}

function rangeError(field: string, message: string): AuthError {
  return new AuthError('VALUE_INVALID', `${field}: ${message}.`, { details: { field } });
}

/** Selects the usage for the charts. Empty: all usage. */
export interface UsageFilter {
  readonly operation?: string | undefined;
  readonly key?: string | undefined;
  readonly network?: string | undefined;
}

/**
 * Aggregates ledger rows for charts and tables. Each step of the range has a point, also without usage. The filter applies to
 * points and total. Groups cover all rows.
 */
export async function summarize(
  { stepMs, count, from }: UsageRange,
  rows: AsyncIterable<UsageRow>,
  stored: readonly StoredBytes[],
  now: number,
  { operation, key, network }: UsageFilter = {},
): Promise<UsageSummary> {
  const points = Array.from({ length: count }, () => zeroCounts());
  const total = zeroCounts();
  const groups = { operations: new Map(), keys: new Map(), networks: new Map() } as Groups;
  for await (const row of rows) {
    const isShown =
      row.operation === (operation ?? row.operation) &&
      row.key === (key ?? row.key) &&
      row.network === (network ?? row.network);
    if (isShown) addCounts(total, row);
    const point = points[Math.floor((row.at - from) / stepMs)];
    if (point && isShown) addCounts(point, row);
    addTo(groups.operations, row.operation, row);
    addTo(groups.keys, row.key, row);
    if (row.network !== '') addTo(groups.networks, row.network, row);
  }
  return {
    total: withoutLatency(total),
    points: points.map((counts, index) => {
      const at = from + index * stepMs;
      return { at, ...withoutLatency(counts), storedBytes: heldAt(stored, Math.min(now, at + stepMs - 1)) };
    }),
    operations: groupsOf(groups.operations),
    keys: groupsOf(groups.keys),
    networks: groupsOf(groups.networks),
  };
}

/** Sums of one group by name. */
export type GroupSums = Map<string, ReturnType<typeof zeroCounts>>;
type Groups = Readonly<Record<'operations' | 'keys' | 'networks', GroupSums>>;

export function addTo(group: GroupSums, name: string, row: UsageCounts): void {
  const sum = group.get(name) ?? zeroCounts();
  group.set(name, addCounts(sum, row));
}

/** Returns the groups, those with the most requests first. */
export function groupsOf(group: GroupSums): UsageGroup[] {
  return [...group]
    .map(([name, counts]) => ({
      name,
      ...withoutLatency(counts),
      latencyMs: {
        p50: latencyQuantile(counts.latency, 0.5),
        p99: latencyQuantile(counts.latency, 0.99),
        mean: counts.requests === 0 ? 0 : counts.durationUs / counts.requests / 1000,
      },
    }))
    .sort((one, other) => other.requests - one.requests);
}

function withoutLatency({ latency: _, ...rest }: UsageCounts): Sums {
  return rest;
}

function heldAt(stored: readonly StoredBytes[], time: number): number {
  return stored.findLast(({ at }) => at <= time)?.bytes ?? 0;
}
