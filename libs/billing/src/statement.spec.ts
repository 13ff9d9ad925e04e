import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '@cairn/auth';
import { hourMs, openLmdbUsageStore, type UsageStore } from '@cairn/metering';
import { delta } from '@cairn/metering/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createStatement, monthSpan, statementCsv } from './statement.ts';

const account: Account = {
  id: 'acc_1',
  name: '=ann, "the first"',
  email: undefined,
  plan: 'free',
  status: 'active',
  card: undefined,
  createdAt: 0,
};
const begin = Date.UTC(2026, 10, 1);
const end = Date.UTC(2026, 11, 1);
let directory: string;
let usage: UsageStore;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-statement-'));
  usage = await openLmdbUsageStore({ directory });
});
afterEach(async () => {
  await usage.close();
  rmSync(directory, { recursive: true });
});

const of = (at: number, more: object = {}) => delta({ accountId: account.id, at, ...more });

test('createStatement sums the days of its month only', async () => {
  const deltas = [of(begin - 1), of(begin), of(end - 1), of(end), of(begin, { operation: 'cat', gas: 7, credits: 1 })];
  await usage.add(deltas, [], []);
  const statement = await createStatement({ usage, account, month: '2026-11', now: end + 1 });
  expect(statement).toMatchObject({
    month: '2026-11',
    plan: 'free',
    from: '2026-11-01T00:00:00.000Z',
    to: '2026-12-01T00:00:00.000Z',
    total: { requests: 3, credits: 5, gas: 7 },
  });
  expect(statement.lines.map(({ operation, requests }) => [operation, requests])).toEqual([
    ['cat', 1],
    ['o', 2],
  ]);
  expect(await createStatement({ usage, account, month: '2026-09' })).toMatchObject({
    lines: [],
    total: { requests: 0 },
  });
});

test('storedBytes has the maximum, and the mean over the elapsed part of the month', async () => {
  const at = (time: number, bytes: number) => ({ accountId: account.id, at: time, bytes });
  await usage.add([], [], [at(begin - 5 * hourMs, 100), at(begin + 10 * hourMs, 300), at(begin + 15 * hourMs, 0)]);
  const { storedBytes } = await createStatement({ usage, account, month: '2026-11', now: begin + 20 * hourMs });
  expect(storedBytes).toEqual({ most: 300, mean: 125 });
});

test('a month that has not begun has no stored bytes', async () => {
  await usage.add([], [], [{ accountId: account.id, at: begin - 5 * hourMs, bytes: 100 }]);
  const { storedBytes, from, to } = await createStatement({ usage, account, month: '2026-12', now: begin });
  expect(to).toBe(from);
  expect(storedBytes).toEqual({ most: 0, mean: 0 });
});

test('statementCsv writes one line per row and a total, and no cell that a spreadsheet runs as a formula', async () => {
  await usage.add([of(begin)], [], []);
  const csv = statementCsv(await createStatement({ usage, account, month: '2026-11', now: end }));
  expect(csv).toBe(
    [
      'account,month,service,operation,network,key,requests,errors,limited,credits,gas,bytesIn,bytesOut',
      `"'=ann, ""the first""",2026-11,s,o,,k,1,0,0,2,0,0,0`,
      `"'=ann, ""the first""",2026-11,total,,,,1,0,0,2,0,0,0`,
      '',
    ].join('\r\n'),
  );
});

test.each(['2026-13', '2026', 'november', '2026-1'])('monthSpan refuses %s', (month) => {
  expect(() => monthSpan(month)).toThrow(expect.objectContaining({ code: 'MONTH_INVALID' }));
});
