import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { LimitStore } from '../limits/limit-store.ts';

const bucket = { kind: 'bucket', ratePerSecond: 10, capacity: 20 } as const;
const day = { kind: 'window', limit: 1000, seconds: 86_400 } as const;

/**
 * Contract suite of every {@link LimitStore}.
 *
 * @param create creates an empty store whose time is `clock.now`, and returns a function that opens a handle on it. Each
 * handle stands for one process.
 */
export function describeLimitStore(
  name: string,
  create: (clock: { readonly now: () => number }) => Promise<() => Promise<LimitStore>>,
): void {
  describe(`${name} as a LimitStore`, () => {
    let store: LimitStore;
    let other: LimitStore;
    let now: number;
    beforeEach(async () => {
      now = Date.UTC(2026, 0, 2, 12);
      const open = await create({ now: () => now });
      store = await open();
      other = await open();
    });
    afterEach(async () => {
      await store.close();
      await other.close();
    });
    const take = async (
      request: { key?: string; min: number; want?: number; give?: number },
      rule = bucket as never,
      from = store,
    ) => {
      const [taken] = await from.take([{ key: 'a', want: request.min, rule, ...request }]);
      if (taken === undefined) throw new Error('no answer');
      return taken;
    };

    test('a bucket starts full, grants no more than it has, and returns when enough tokens are available', async () => {
      expect(await take({ min: 20 })).toEqual({ granted: 20, remaining: 0, retryAfterMs: 0 });
      expect(await take({ min: 5 })).toEqual({ granted: 0, remaining: 0, retryAfterMs: 500 });
      now += 500;
      expect(await take({ min: 5 })).toMatchObject({ granted: 5 });
      now += 60_000;
      expect(await take({ min: 21 })).toMatchObject({ granted: 0, remaining: 20 });
    });

    test('beyond min, take grants at most a quarter of the available tokens', async () => {
      expect(await take({ min: 1, want: 100 })).toMatchObject({ granted: 5, remaining: 15 });
      expect(await take({ min: 1, want: 2 })).toMatchObject({ granted: 2, remaining: 13 });
    });

    test('returned tokens are available again up to the capacity, and a debt is paid first', async () => {
      await take({ min: 10 });
      expect(await take({ min: 0, give: 4 })).toMatchObject({ granted: 0, remaining: 14 });
      expect(await take({ min: 0, give: 100 })).toMatchObject({ remaining: 20 });
      expect(await take({ min: 0, give: -25 })).toMatchObject({ remaining: 0 });
      expect(await take({ min: 1 })).toMatchObject({ granted: 0, retryAfterMs: 600 });
    });

    test('a debt after a pause counts against a full bucket, not against tokens that it could not hold', async () => {
      await take({ min: 20 });
      now += 2900;
      expect(await take({ min: 0, give: -25 })).toMatchObject({ remaining: 0 });
      expect(await take({ min: 1 })).toMatchObject({ granted: 0, retryAfterMs: 600 });
    });

    test('a new window is full, also after a debt', async () => {
      const endsAt = Date.UTC(2026, 0, 3);
      expect(await take({ min: 900 }, day as never)).toEqual({ granted: 900, remaining: 100, retryAfterMs: 0, endsAt });
      expect(await take({ min: 101 }, day as never)).toEqual({
        granted: 0,
        remaining: 100,
        retryAfterMs: endsAt - now,
        endsAt,
      });
      await take({ min: 0, give: -500 }, day as never);
      now = endsAt;
      expect(await take({ min: 1000 }, day as never)).toMatchObject({ granted: 1000 });
    });

    test('keys and kinds of rules have separate counters', async () => {
      await take({ min: 20 });
      expect(await take({ key: 'b', min: 20 })).toMatchObject({ granted: 20 });
      expect(await take({ min: 1000 }, day as never)).toMatchObject({ granted: 1000 });
    });

    test('a clock that is set back adds no tokens, and the bucket continues to refill', async () => {
      await take({ min: 20 });
      now -= 3_600_000;
      expect(await take({ min: 1 })).toMatchObject({ granted: 0 });
      now += 1000;
      expect(await take({ min: 10 })).toMatchObject({ granted: 10 });
    });

    test('a clock that is set back over the start of a window does not fill it again', async () => {
      await take({ min: 900 }, day as never);
      for (const jump of [-86_400_000, 86_400_000 - 1, -3_600_000]) {
        now += jump;
        expect(await take({ min: 101 }, day as never)).toMatchObject({ granted: 0 });
      }
      now += 2 * 86_400_000;
      expect(await take({ min: 1000 }, day as never)).toMatchObject({ granted: 1000 });
    });

    test('concurrent requests through two handles are granted no more than the bucket has', async () => {
      const grants = await Promise.all(
        Array.from({ length: 40 }, (_, index) => take({ min: 1 }, bucket as never, index % 2 ? store : other)),
      );
      expect(grants.reduce((sum, { granted }) => sum + granted, 0)).toBe(20);
    });

    test('several requests of one call are granted in their order', async () => {
      const request = { rule: bucket, min: 15, want: 15 };
      const results = await store.take([
        { key: 'a', ...request },
        { key: 'b', ...request },
        { key: 'a', ...request },
      ]);
      expect(results.map(({ granted }) => granted)).toEqual([15, 15, 0]);
    });

    test('the sum of all grants never exceeds the capacity plus the refill', async () => {
      let round = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ min: fc.nat(30), want: fc.nat(40), waitMs: fc.nat(2000) }), { maxLength: 20 }),
          async (steps) => {
            const key = `property-${round++}`;
            const begin = now;
            let granted = 0;
            for (const { min, want, waitMs } of steps) {
              now += waitMs;
              const taken = await take({ key, min, want: Math.max(min, want) });
              if (taken.granted > 0) expect(taken.granted).toBeGreaterThanOrEqual(min);
              granted += taken.granted;
            }
            expect(granted).toBeLessThanOrEqual(20 + ((now - begin) * 10) / 1000 + 1e-6);
          },
        ),
        { numRuns: 50 },
      );
    });

    const hold = (holder: string, min: number, want = min, from = store) =>
      from.hold({ key: 'permits', holder, min, want, limit: 10, ttlMs: 5000 });

    test('concurrent holders never hold more permits than the limit', async () => {
      const results = await Promise.all(
        Array.from({ length: 16 }, (_, index) => hold(`holder-${index}`, 1, 1, index % 2 ? store : other)),
      );
      expect(results.reduce((sum, { held }) => sum + held, 0)).toBe(10);
    });

    test('permits of all holders never exceed the limit, and returned permits are free again', async () => {
      expect(await hold('one', 6)).toEqual({ held: 6, others: 0 });
      expect(await hold('two', 4, 4, other)).toEqual({ held: 4, others: 6 });
      expect(await hold('two', 5)).toEqual({ held: 4, others: 6 });
      expect(await hold('one', 0)).toEqual({ held: 0, others: 4 });
      expect(await hold('two', 5)).toEqual({ held: 5, others: 0 });
    });

    test('beyond min, hold adds at most a quarter of the free permits', async () => {
      expect(await hold('one', 1, 8)).toEqual({ held: 3, others: 0 });
      expect(await hold('two', 1, 8)).toEqual({ held: 2, others: 3 });
    });

    test('permits held while the clock was ahead are free once it is correct', async () => {
      now += 86_400_000;
      await hold('killed', 10);
      now -= 86_400_000;
      expect(await hold('other', 10)).toEqual({ held: 10, others: 0 });
    });

    test('permits expire without another call of their holder', async () => {
      await hold('killed', 10);
      now += 4999;
      expect(await hold('other', 1)).toMatchObject({ held: 0 });
      now += 1;
      expect(await hold('other', 10)).toEqual({ held: 10, others: 0 });
    });
  });
}
