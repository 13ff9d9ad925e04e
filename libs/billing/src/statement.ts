import type { Account } from '@cairn/auth';
import { addCounts, type UsageCounts, type UsageStore, zeroCounts } from '@cairn/metering';
import { BillingError } from './errors.ts';

/** Usage of one service, operation, network and key in a month. */
export interface StatementLine extends Omit<UsageCounts, 'latency'> {
  readonly service: string;
  readonly operation: string;
  readonly network: string;
  readonly key: string;
}

/** Usage of an account in a month (UTC). */
export interface Statement {
  readonly account: { readonly id: string; readonly name: string };
  readonly plan: string;
  /** `2026-11` */
  readonly month: string;
  /** Start and exclusive end of the counted time (ISO 8601). The end is not later than now. */
  readonly from: string;
  readonly to: string;
  readonly lines: readonly StatementLine[];
  readonly total: Omit<UsageCounts, 'latency'>;
  /** Bytes in storage: the maximum, and the mean over the counted time. */
  readonly storedBytes: { readonly most: number; readonly mean: number };
}

/** Returns the span of a month such as `2026-11`, in milliseconds since 1970. @throws MONTH_INVALID */
export function monthSpan(month: string): { readonly from: number; readonly to: number } {
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year === undefined)
    throw new BillingError(
      'MONTH_INVALID',
      `month: ${JSON.stringify(month.slice(0, 20))} is not a month such as 2026-11.`,
    );
  return { from: Date.UTC(Number(year), Number(number) - 1), to: Date.UTC(Number(year), Number(number)) };
}

/** Creates the statement of a month from the usage rows of its days. @throws MONTH_INVALID */
export async function createStatement({
  usage,
  account: { id, name, plan },
  month,
  now = Date.now(),
}: {
  readonly usage: UsageStore;
  readonly account: Account;
  readonly month: string;
  /** Current time in milliseconds since 1970. Default: `Date.now()`. */
  readonly now?: number;
}): Promise<Statement> {
  const { from, to: end } = monthSpan(month);
  const to = Math.max(from, Math.min(end, now));
  const total = zeroCounts();
  const sums = new Map<string, StatementLine & ReturnType<typeof zeroCounts>>();
  for await (const { at: _, accountId: __, ...row } of usage.rows(id, { from, to: end }, 'day')) {
    const { service, operation, network, key } = row;
    const subject = [service, operation, network, key].join('\0');
    const sum = sums.get(subject) ?? { service, operation, network, key, ...zeroCounts() };
    addCounts(sum, row);
    addCounts(total, row);
    sums.set(subject, sum);
  }
  return {
    account: { id, name },
    plan,
    month,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    lines: [...sums.values()].map(withoutLatency),
    total: withoutLatency(total),
    storedBytes: storedBytesOf(await usage.stored(id, { from, to: end }), from, to),
  };
}

function withoutLatency<T extends { readonly latency: unknown }>({ latency: _, ...rest }: T): Omit<T, 'latency'> {
  return rest;
}

function storedBytesOf(
  changes: readonly { readonly at: number; readonly bytes: number }[],
  from: number,
  to: number,
): Statement['storedBytes'] {
  // A month that has not begun: the bytes of today are not of its time.
  if (to <= from) return { most: 0, mean: 0 };
  let [most, sum, since, bytes] = [0, 0, from, 0];
  for (const change of [...changes, { at: to, bytes: 0 }]) {
    const until = Math.min(to, Math.max(from, change.at));
    sum += bytes * (until - since);
    [since, bytes] = [until, change.bytes];
    most = Math.max(most, bytes);
  }
  return { most, mean: Math.round(sum / (to - from)) };
}

const columns = [
  'service',
  'operation',
  'network',
  'key',
  'requests',
  'errors',
  'limited',
  'credits',
  'gas',
  'bytesIn',
  'bytesOut',
] as const;

/** Formats a statement as CSV (RFC 4180): one line for each of its lines, and a total. */
export function statementCsv({ account, month, lines, total }: Statement): string {
  const head = ['account', 'month', ...columns];
  const rows = [...lines, { service: 'total', operation: '', network: '', key: '', ...total }].map((line) => [
    account.name,
    month,
    ...columns.map((column) => String(line[column])),
  ]);
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** Formats a cell, quoted if needed. A text that a spreadsheet would run as a formula gets an apostrophe in front. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
