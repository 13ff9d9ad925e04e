import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dayMs, hourMs, noCounts, type UsageRow } from '../usage/usage.ts';
import { minutesKeptMs, type Resolution, type UsageDelta, type UsageStore } from '../usage/usage-store.ts';

const start = Date.UTC(2026, 1, 3);
const span = { from: start, to: start + 2 * dayMs };

/** Counts for account `a`. */
export function delta(more: Partial<UsageDelta> = {}): UsageDelta {
  const latency = [...noCounts().latency];
  latency[2] = 1;
  return {
    accountId: 'a',
    key: 'k',
    service: 's',
    operation: 'o',
    network: '',
    at: start,
    ...noCounts(),
    requests: 1,
    credits: 2,
    durationUs: 3,
    latency,
    ...more,
  };
}

/** The contract of every {@link UsageStore}: an adapter's spec is one call of this. */
export function describeUsageStore(name: string, create: () => Promise<UsageStore>): void {
  describe(`${name} as a UsageStore`, () => {
    let store: UsageStore;
    beforeEach(async () => {
      store = await create();
    });
    afterEach(() => store.close());
    const rows = async (accountId = 'a', resolution: Resolution = 'hour', during = span) => {
      const found: UsageRow[] = [];
      for await (const row of store.rows(accountId, during, resolution)) found.push(row);
      return found;
    };

    test('adds up what belongs together and keeps the rest apart', async () => {
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

    test('hours begin on the hour, days at midnight UTC, and spans are half open', async () => {
      await store.add([delta({ at: start + hourMs + 5 }), delta({ at: start + dayMs - 1 })], [], []);
      expect((await rows()).map(({ at }) => at)).toEqual([start + hourMs, start + dayMs - hourMs]);
      expect(await rows('a', 'day')).toMatchObject([{ at: start, requests: 2 }]);
      expect(await rows('a', 'hour', { from: start, to: start + hourMs })).toEqual([]);
      expect(await rows('a', 'hour', { from: start + hourMs, to: start + 2 * hourMs })).toHaveLength(1);
    });

    test('minutes are told for some hours, then forgotten', async () => {
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

    test('concurrent additions lose nothing', async () => {
      await Promise.all(Array.from({ length: 50 }, () => store.add([delta()], [], [])));
      expect(await rows()).toMatchObject([{ requests: 50, credits: 100 }]);
    });

    test('remembers when keys were last used, whatever comes late', async () => {
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

    test('what is held is told with what was held before', async () => {
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
