import { hourMs, minuteMs, type UsageRow, zeroCounts } from '@cairn/metering';
import { expect, test } from '@jest/globals';
import { rangeOfDays, rangeOfSpan, summarize } from './usage-summary.ts';

const now = Date.UTC(2026, 10, 21, 14, 30, 15);

function row(at: number, more: Partial<UsageRow> = {}): UsageRow {
  const counts = zeroCounts();
  counts.latency[2] = 1;
  const subject = { accountId: 'a', key: 'k', service: 's', operation: 'cat', network: '' };
  return { ...subject, ...counts, requests: 1, credits: 2, durationUs: 1500, at, ...more };
}

async function* rowsOf(...rows: readonly UsageRow[]) {
  yield* rows;
}

test('summarize returns a point for every step of a span, the current step last', async () => {
  const range = rangeOfSpan('hour', now);
  const { from, to } = range;
  expect([to - from, to - now <= minuteMs, from % minuteMs]).toEqual([hourMs, true, 0]);
  const rows = rowsOf(row(from), row(to - minuteMs), row(to - minuteMs, { errors: 1, limited: 1 }));
  const { points, total } = await summarize(range, rows, [], now);
  expect(points).toHaveLength(60);
  expect([points[0]?.requests, points[1]?.requests, points[59]?.requests]).toEqual([1, 0, 2]);
  expect(points[59]).toMatchObject({ at: to - minuteMs, errors: 1, limited: 1, credits: 4 });
  expect(total).toMatchObject({ requests: 3, credits: 6 });
});

test('stored bytes keep their value until they change', async () => {
  const range = rangeOfSpan('day', now);
  const { from } = range;
  const stored = [
    { at: from - hourMs, bytes: 5 },
    { at: from + 3 * hourMs + minuteMs, bytes: 9 },
  ];
  const { points } = await summarize(range, rowsOf(), stored, now);
  expect(points.slice(0, 5).map(({ storedBytes }) => storedBytes)).toEqual([5, 5, 5, 9, 9]);
});

test('summarize groups by operation, key and network, busiest first', async () => {
  const range = rangeOfSpan('month', now);
  const { from } = range;
  const rows = rowsOf(
    row(from, { operation: 'eth_call', network: 'sample' }),
    row(from, { operation: 'eth_call', network: 'sample', key: 'l' }),
    row(from),
  );
  const summary = await summarize(range, rows, [], now);
  expect(summary.operations.map(({ name, requests }) => [name, requests])).toEqual([
    ['eth_call', 2],
    ['cat', 1],
  ]);
  expect(summary.operations[0]?.latencyMs).toEqual({ p50: 1, p99: 1, mean: 1.5 });
  expect(summary.keys.map(({ name, requests }) => [name, requests])).toEqual([
    ['k', 2],
    ['l', 1],
  ]);
  expect(summary.networks.map(({ name }) => name)).toEqual(['sample']);
});

test('a filter applies to points and total, not to groups', async () => {
  const range = rangeOfSpan('hour', now);
  const { from } = range;
  const rows = () => rowsOf(row(from), row(from, { key: 'l' }), row(from, { operation: 'add', key: 'l' }));
  const filtered = await summarize(range, rows(), [], now, { key: 'l' });
  expect([filtered.total.requests, filtered.points[0]?.requests]).toEqual([2, 2]);
  expect(filtered.keys).toHaveLength(2);
  const both = await summarize(range, rows(), [], now, { key: 'l', operation: 'add' });
  expect([both.total.requests, both.points[0]?.requests]).toEqual([1, 1]);
});

test('rangeOfDays covers whole days, by hour for a few and by day for many', () => {
  const start = Date.UTC(2026, 10, 1);
  expect(rangeOfDays('2026-11-01', '2026-11-01')).toEqual({
    ...{ resolution: 'hour', stepMs: hourMs, count: 24 },
    ...{ from: start, to: start + 24 * hourMs },
  });
  expect(rangeOfDays('2026-11-01', '2026-11-10')).toMatchObject({ resolution: 'day', count: 10 });
  expect(() => rangeOfDays('2026-11-02', '2026-11-01')).toThrow('to: expected a day that is not before 2026-11-02.');
  expect(() => rangeOfDays('2025-01-01', '2026-11-01')).toThrow('from: expected at most 366 days.');
});
