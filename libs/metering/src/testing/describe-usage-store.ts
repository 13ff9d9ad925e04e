import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { addCounts, dayMs, hourMs, type UsageRow, zeroCounts } from '../usage/usage.ts';
import { minutesKeptMs, type Resolution, type UsageDelta, type UsageStore } from '../usage/usage-store.ts';

const start = Date.UTC(2026, 1, 3);
const span = { from: start, to: start + 2 * dayMs };

/** Creates counts of one request of account `a`. */
export function delta(more: Partial<UsageDelta> = {}): UsageDelta {
  const latency = [...zeroCounts().latency];
  latency[2] = 1;
  return {
    accountId: 'a',
    key: 'k',
    service: 's',
    operation: 'o',
    network: '',
    at: start,
    ...zeroCounts(),
    requests: 1,
    credits: 2,
    durationUs: 3,
    latency,
    ...more,
  };
}

/**
 * Contract suite of every {@link UsageStore}.
 *
 * @param create creates an empty store and returns a function that opens a handle on it. Each handle stands for one process.
 */
export function describeUsageStore(name: string, create: () => Promise<() => Promise<UsageStore>>): void {
  describe(`${name} as a UsageStore`, () => {
    let open: () => Promise<UsageStore>;
    let store: UsageStore;
    let other: UsageStore;
    beforeEach(async () => {
      open = await create();
      store = await open();
      other = await open();
    });
    afterEach(async () => {
      await store.close();
      await other.close();
    });
    const rows = async (accountId = 'a', resolution: Resolution = 'hour', during = span, from = store) => {
      const found: UsageRow[] = [];
      for await (const row of from.rows(accountId, during, resolution)) found.push(row);
      return found;
    };

    test('add sums counts of the same subject and keeps other subjects separate', async () => {
      await store.add([delta(), delta({ operation: 'other' }), delta({ accountId: 'b' })], [], []);
      await store.add([delta(), delta({ network: 'n' }), delta({ key: 'k2' }), delta({ service: 's2' })], [], []);
      const found = await rows();
      expect(found).toHaveLength(5);
      expect(
        found.find(({ operation, network, key, service }) => `${operation}${network}${key}${service}` === 'oks'),
      ).toMatchObject({ requests: 2, credits: 4, durationUs: 6, at: start });
      expect(await rows('b')).toHaveLength(1);
      expect((await rows())[0]?.latency[2]).toBeGreaterThan(0);
    });

    test('every field of the counts is summed exactly', async () => {
      const counts = {
        requests: 3,
        errors: 2,
        limited: 1,
        credits: 2 ** 40,
        bytesIn: 2 ** 41,
        bytesOut: 2 ** 42,
        gas: 2 ** 43,
        durationUs: 2 ** 44,
        latency: zeroCounts().latency.map((_, index) => index),
      };
      await store.add([delta(counts), delta(counts)], [], []);
      await other.add([delta(counts)], [], []);
      const sum = addCounts(addCounts(addCounts(zeroCounts(), counts), counts), counts);
      const subject = { accountId: 'a', key: 'k', service: 's', operation: 'o', network: '' };
      expect(await rows()).toEqual([{ ...subject, at: start, ...sum }]);
    });

    test('rows yields an account in time order, and no other account whose id starts the same', async () => {
      await store.add(
        [
          delta({ at: start + 2 * hourMs }),
          delta({ accountId: 'aa' }),
          delta({ at: start }),
          delta({ at: start + hourMs }),
        ],
        [],
        [],
      );
      expect((await rows()).map(({ at }) => (at - start) / hourMs)).toEqual([0, 1, 2]);
    });

    test('an addition is visible through every open handle and outlives its own', async () => {
      expect(await rows('a', 'hour', span, other)).toEqual([]);
      await store.add([delta()], [{ accountId: 'a', key: 'k', at: 9 }], [{ accountId: 'a', at: start, bytes: 7 }]);
      await store.close();
      for (const handle of [other, await open()]) {
        store = handle;
        expect(await rows('a', 'hour', span, handle)).toMatchObject([{ requests: 1 }]);
        expect([...(await handle.lastUsed('a'))]).toEqual([['k', 9]]);
        expect(await handle.stored('a', span)).toEqual([{ at: start, bytes: 7 }]);
      }
    });

    test('hour rows start on the hour, day rows at midnight UTC, and the end of a span is exclusive', async () => {
      await store.add([delta({ at: start + hourMs + 5 }), delta({ at: start + dayMs - 1 })], [], []);
      expect((await rows()).map(({ at }) => at)).toEqual([start + hourMs, start + dayMs - hourMs]);
      expect(await rows('a', 'day')).toMatchObject([{ at: start, requests: 2 }]);
      expect(await rows('a', 'hour', { from: start, to: start + hourMs })).toEqual([]);
      expect(await rows('a', 'hour', { from: start + hourMs, to: start + 2 * hourMs })).toHaveLength(1);
    });

    test('minute rows are removed after their retention; day rows stay', async () => {
      await store.add(
        [delta({ at: start + 61_000 }), delta({ at: start + 119_000 }), delta({ at: start + 120_000 })],
        [],
        [],
      );
      expect((await rows('a', 'minute')).map(({ at, requests }) => [at - start, requests])).toEqual([
        [60_000, 2],
        [120_000, 1],
      ]);
      await store.add([delta({ at: start + minutesKeptMs + 180_000 })], [], []);
      expect((await rows('a', 'minute')).map(({ at }) => at - start)).toEqual([minutesKeptMs + 180_000]);
      expect(await rows('a', 'day')).toMatchObject([{ requests: 4 }]);
    });

    test('concurrent additions through two handles lose no counts', async () => {
      await Promise.all(Array.from({ length: 50 }, (_, index) => (index % 2 ? store : other).add([delta()], [], [])));
      expect(await rows()).toMatchObject([{ requests: 50, credits: 100 }]);
    });

    test('lastUsed returns the latest use of each key, also if an earlier use arrives later', async () => {
      await store.add(
        [],
        [
          { accountId: 'a', key: 'k', at: 9 },
          { accountId: 'ab', key: 'x', at: 1 },
        ],
        [],
      );
      await store.add(
        [],
        [
          { accountId: 'a', key: 'k', at: 5 },
          { accountId: 'a', key: 'l', at: 6 },
        ],
        [],
      );
      expect([...(await store.lastUsed('a'))]).toEqual([
        ['k', 9],
        ['l', 6],
      ]);
    });

    test('stored returns the last sample of each minute, preceded by the last sample before the span', async () => {
      const at = (hours: number, bytes: number) => ({ accountId: 'a', at: start + hours * hourMs, bytes });
      await store.add(
        [],
        [],
        [
          at(-5, 1),
          at(-1, 2),
          at(1, 3),
          at(1, 4),
          { ...at(1, 4), at: start + hourMs + 59_000 },
          { ...at(2, 9), accountId: 'b' },
        ],
      );
      expect(await store.stored('a', span)).toEqual([
        { at: start - hourMs, bytes: 2 },
        { at: start + hourMs, bytes: 4 },
      ]);
      expect(await store.stored('c', span)).toEqual([]);
    });
  });
}
