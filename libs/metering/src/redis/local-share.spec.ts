import { expect, test } from '@jest/globals';
import { lotOf } from '../limits/token-lot.ts';
import { startShare } from './local-share.ts';

const processes = 3;
const rule = { kind: 'bucket', ratePerSecond: 200, capacity: 400 } as const;

/** Takes as many tokens as a share grants until `to`, in milliseconds. */
function use(
  share: ReturnType<typeof startShare>,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  let taken = 0;
  for (let now = from; now <= to; now += 10) while (share.take({ min: 1, want: 1 }, now).granted > 0) taken++;
  return taken;
}

test.each([500, 1000, 2000, 3000, 10_000])(
  'shares of a bucket that others have emptied exceed its rate by no token after %i ms, once they are reported',
  (to) => {
    const share = startShare({ rule, known: undefined, processes, now: 0 });
    const taken = use(share, { from: 0, to });
    expect(taken).toBeGreaterThanOrEqual(lotOf(rule) + Math.floor((to / 1000) * (rule.ratePerSecond / processes)) - 1);
    // The bucket of Redis has refilled to its capacity at most.
    const bucket = Math.min(rule.capacity, (to / 1000) * rule.ratePerSecond) - processes * share.owed(to);
    const allowed = (to / 1000) * rule.ratePerSecond;
    expect(processes * taken + bucket).toBeLessThanOrEqual(allowed + 0.001);
  },
);

test('a burst after an idle time is owed whole, though the bucket of Redis is full', () => {
  const share = startShare({ rule, known: undefined, processes, now: 0 });
  const taken = use(share, { from: 10_000, to: 10_000 });
  expect(taken).toBe(Math.floor(rule.capacity / processes));
  expect(share.owed(10_000)).toBe(taken);
});

test('tokens that were taken long before the report are not owed', () => {
  const share = startShare({ rule, known: undefined, processes, now: 0 });
  use(share, { from: 0, to: 0 });
  expect(share.owed(60_000)).toBe(0);
});
