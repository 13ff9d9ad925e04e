import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ConcurrencyPermits } from './concurrency-permits.ts';
import type { HoldRequest, LimitStore } from './limit-store.ts';

/** One process and a store that answers in the order of the requests, each after some turns. */
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

test('requests below the limit are never refused, whatever is renewed meanwhile', async () => {
  const step = fc.record({
    enters: fc.integer({ min: 0, max: 20 }),
    renews: fc.boolean(),
    leaves: fc.integer({ min: 0, max: 20 }),
    turns: fc.integer({ min: 0, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      let turns = 0;
      const permits = permitsOver(64, () => turns);
      let [inside, asked] = [0, 0];
      const all: Promise<unknown>[] = [];
      for (const { enters, renews, leaves, turns: next } of steps) {
        turns = next;
        for (let count = Math.min(enters, 64 - asked); count > 0; count--) {
          asked++;
          all.push(
            permits.enter().then((isIn) => {
              expect(isIn).toBe(true);
              inside++;
            }),
          );
        }
        if (renews) all.push(permits.renew());
        for (let turn = 0; turn < next * 3; turn++) await Promise.resolve();
        for (let count = Math.min(leaves, inside); count > 0; count--) {
          permits.leave();
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
