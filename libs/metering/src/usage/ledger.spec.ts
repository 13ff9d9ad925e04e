import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { temporaryDirectories } from '../temporary-directory.fixture.ts';
import { Ledger } from './ledger.ts';
import { openLmdbUsageStore } from './lmdb-usage-store.ts';
import {
  addCounts,
  hourMs,
  latencyBoundsMs,
  latencyIndex,
  latencyQuantile,
  type UsageRow,
  zeroCounts,
} from './usage.ts';
import type { UsageStore } from './usage-store.ts';

const directory = temporaryDirectories();
const start = Date.UTC(2026, 1, 3, 10);
const owner = { accountId: 'a', key: 'k' };
const used = { operation: 'eth_call', network: 'main', outcome: 'ok', credits: 20, durationMs: 1.5 } as const;
let now: number;
let store: UsageStore;
let ledger: Ledger;

beforeEach(async () => {
  now = start;
  store = await openLmdbUsageStore({ directory: directory() });
  ledger = new Ledger({ store, service: 'test', now: () => now });
});
afterEach(async () => {
  await ledger.close();
  await store.close();
});

async function rows(accountId = 'a'): Promise<UsageRow[]> {
  const found: UsageRow[] = [];
  for await (const row of store.rows(accountId, { from: 0, to: start + 100 * hourMs }, 'hour')) found.push(row);
  return found;
}

test('record counts requests by outcome; addUse adds gas, bytes and credits', async () => {
  ledger.record(owner, used);
  ledger.record(owner, { ...used, outcome: 'error' });
  ledger.record(owner, { ...used, outcome: 'limited', credits: 0 });
  ledger.addUse(owner, { operation: 'eth_call', network: 'main', credits: 3, gas: 30_000, bytesIn: 100, bytesOut: 50 });
  await ledger.flush();
  expect(await rows()).toEqual([
    {
      accountId: 'a',
      key: 'k',
      service: 'test',
      operation: 'eth_call',
      network: 'main',
      at: start,
      requests: 3,
      errors: 2,
      limited: 1,
      credits: 43,
      gas: 30_000,
      bytesIn: 100,
      bytesOut: 50,
      durationUs: 4500,
      latency: zeroCounts().latency.map((_, index) => (latencyBoundsMs[index] === 2 ? 3 : 0)),
    },
  ]);
  expect([...(await store.lastUsed('a'))]).toEqual([['k', start]]);
});

test('a request before the end of the hour counts for that hour, also if it is flushed later', async () => {
  now = start + hourMs - 1;
  ledger.record(owner, used);
  now = start + hourMs;
  ledger.record(owner, used);
  await ledger.flush();
  expect((await rows()).map(({ at, requests }) => [at, requests])).toEqual([
    [start, 1],
    [start + hourMs, 1],
  ]);
});

test('failed flushes lose no counts and duplicate none', async () => {
  let fails = true;
  const flaky: UsageStore = {
    ...store,
    add: async (...deltas) => {
      if (fails) throw new Error('planted');
      await store.add(...deltas);
    },
  };
  const other = new Ledger({ store: flaky, service: 'test', now: () => now });
  other.storedBytes('a', 7);
  for (let round = 0; round < 3; round++) {
    other.record(owner, used);
    await expect(other.flush()).rejects.toThrow('planted');
  }
  fails = false;
  other.record(owner, used);
  await other.close();
  expect(await rows()).toMatchObject([{ requests: 4, credits: 80 }]);
  expect(await store.stored('a', { from: start, to: start + hourMs })).toEqual([{ at: start, bytes: 7 }]);
});

test('a batch with an unknown outcome is repeated unchanged under its ID, before newer counts', async () => {
  const known = new Set<string | undefined>();
  const ids: (string | undefined)[] = [];
  let fails = true;
  const unsure: UsageStore = {
    ...store,
    add: async (deltas, seen, stored, id) => {
      ids.push(id);
      if (!known.has(id)) await store.add(deltas, seen, stored, id);
      known.add(id);
      if (fails) throw new Error('no answer');
    },
  };
  const other = new Ledger({ store: unsure, service: 'test', now: () => now });
  for (let round = 0; round < 3; round++) {
    other.record(owner, used);
    await expect(other.flush()).rejects.toThrow('no answer');
  }
  fails = false;
  await Promise.all([other.flush(), other.flush()]);
  await other.close();
  expect(await rows()).toMatchObject([{ requests: 3, credits: 60 }]);
  expect([ids.length, new Set(ids).size, new Set(ids.slice(0, 4)).size]).toEqual([5, 2, 1]);
});

test('the ledger flushes by itself within a second', async () => {
  let flushed = 0;
  const watched: UsageStore = {
    ...store,
    add: async (deltas) => {
      flushed += deltas.length;
    },
  };
  jest.useFakeTimers();
  try {
    const other = new Ledger({ store: watched, service: 'test', now: () => now });
    other.record(owner, used);
    expect(flushed).toBe(0);
    await jest.advanceTimersByTimeAsync(999);
    expect(flushed).toBe(1);
    await other.close();
  } finally {
    jest.useRealTimers();
  }
});

test('two ledgers on one store add up to the exact sum', async () => {
  const request = fc.record({
    account: fc.constantFrom('a', 'b'),
    key: fc.constantFrom('k', 'l'),
    operation: fc.constantFrom('x', 'y'),
    credits: fc.nat(1000),
    stepMs: fc.nat(hourMs),
    isFirst: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 40 }), async (requests) => {
      const own = await openLmdbUsageStore({ directory: directory() });
      const ledgers = [0, 1].map(() => new Ledger({ store: own, service: 'test', now: () => now }));
      const expected = new Map<string, number>();
      now = start;
      for (const { account, key, operation, credits, stepMs, isFirst } of requests) {
        now += stepMs;
        const hour = now - (now % hourMs);
        const name = `${account} ${key} ${operation} ${hour}`;
        expected.set(name, (expected.get(name) ?? 0) + credits);
        const subject = { accountId: account, key: `${account}-${key}` };
        ledgers[isFirst ? 0 : 1]?.record(subject, { operation, outcome: 'ok', credits, durationMs: 1 });
        if (credits % 7 === 0) await ledgers[0]?.flush();
      }
      for (const one of ledgers) await one.close();
      const found = new Map<string, number>();
      for (const account of ['a', 'b']) {
        for await (const row of own.rows(account, { from: 0, to: now + hourMs }, 'hour'))
          found.set(`${account} ${row.key.slice(2)} ${row.operation} ${row.at}`, row.credits);
      }
      await own.close();
      expect([...found].sort()).toEqual([...expected].sort());
    }),
    { numRuns: 20 },
  );
});

test('totals include all keys, flushed or not', async () => {
  ledger.record(owner, used);
  await ledger.flush();
  ledger.record({ accountId: 'b', key: 'l' }, { ...used, outcome: 'error' });
  expect([...ledger.totals()]).toMatchObject([{ operation: 'eth_call', network: 'main', requests: 2, errors: 1 }]);
  await ledger.flush();
  expect(await rows('b')).toMatchObject([{ requests: 1 }]);
});

test('latencyIndex finds the bucket whose bounds include the duration; latencyQuantile returns its upper bound', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 20_000, noNaN: true }), (milliseconds) => {
      const index = latencyIndex(milliseconds);
      expect(milliseconds).toBeLessThanOrEqual(latencyBoundsMs[index] ?? Number.POSITIVE_INFINITY);
      expect(milliseconds > (latencyBoundsMs[index - 1] ?? -1)).toBe(true);
    }),
  );
  const sum = zeroCounts();
  for (const milliseconds of [1, 1, 1, 100]) {
    const counts = zeroCounts();
    counts.latency[latencyIndex(milliseconds)] = 1;
    addCounts(sum, counts);
  }
  expect(latencyQuantile(sum.latency, 0.5)).toBe(1);
  expect(latencyQuantile(sum.latency, 0.99)).toBe(128);
  expect(latencyQuantile(zeroCounts().latency, 0.5)).toBeUndefined();
});
