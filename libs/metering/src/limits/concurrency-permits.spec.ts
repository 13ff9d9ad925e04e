import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ConcurrencyPermits } from './concurrency-permits.ts';
import type { HoldRequest, LimitStore } from './limit-store.ts';

/** Permits of one process over a store that answers in request order, each answer after `turnsOf()` microtasks. */
function permitsOver(limit: number, turnsOf: () => number): ConcurrencyPermits {
  let held = 0;
  let before: Promise<unknown> = Promise.resolve();
  const store = {
    async hold({ min, want }: HoldRequest) {
      const earlier = before;
      let done = () => {};
      before = new Promise<void>((resolve) => {
        done = resolve;
      });
      await earlier;
      for (let turn = turnsOf(); turn > 0; turn--) await Promise.resolve();
      held = limit >= min ? Math.min(limit, Math.max(min, Math.min(want, held + Math.ceil((limit - held) / 4)))) : held;
      done();
      return { held, others: 0 };
    },
  } as Partial<LimitStore> as LimitStore;
  return new ConcurrencyPermits(store, 'key', limit, 'holder', () => 0);
}

test('acquire never refuses below the limit, also during concurrent renewals', async () => {
  const step = fc.record({
    acquires: fc.integer({ min: 0, max: 20 }),
    renews: fc.boolean(),
    releases: fc.integer({ min: 0, max: 20 }),
    turns: fc.integer({ min: 0, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      let turns = 0;
      const permits = permitsOver(64, () => turns);
      let [inside, asked] = [0, 0];
      const all: Promise<unknown>[] = [];
      for (const { acquires, renews, releases, turns: next } of steps) {
        turns = next;
        for (let count = Math.min(acquires, 64 - asked); count > 0; count--) {
          asked++;
          all.push(
            permits.acquire().then((isAcquired) => {
              expect(isAcquired).toBe(true);
              inside++;
            }),
          );
        }
        if (renews) all.push(permits.renew());
        for (let turn = 0; turn < next * 3; turn++) await Promise.resolve();
        for (let count = Math.min(releases, inside); count > 0; count--) {
          permits.release();
          inside--;
          asked--;
        }
      }
      await Promise.all(all);
      expect(inside).toBe(asked);
    }),
    { numRuns: 300 },
  );
});

test('a process gets permits that another process holds and does not use', async () => {
  const limit = 8;
  const held = new Map<string, number>();
  const store = {
    async hold({ holder, min, want }: HoldRequest) {
      const others = [...held].reduce((sum, [name, count]) => (name === holder ? sum : sum + count), 0);
      if (others + min <= limit) held.set(holder, Math.min(want, limit - others));
      return { held: held.get(holder) ?? 0, others };
    },
  } as Partial<LimitStore> as LimitStore;
  const first = new ConcurrencyPermits(store, 'key', limit, 'first', () => 0);
  const recall = () => first.returnUnused();
  const second = new ConcurrencyPermits(store, 'key', limit, 'second', () => 0, recall);
  for (let count = 0; count < 6; count++) expect(await first.acquire()).toBe(true);
  first.release();
  for (let count = 0; count < 3; count++) expect(await second.acquire()).toBe(true);
  expect(await second.acquire()).toBe(false);
  expect(held).toEqual(
    new Map([
      ['first', 5],
      ['second', 3],
    ]),
  );
});
