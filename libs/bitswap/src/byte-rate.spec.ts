import { expect, test } from '@jest/globals';
import { ByteRate } from './byte-rate.ts';

test('a burst of one second passes, and later bytes wait for their share of the rate', () => {
  let now = 0;
  const rate = new ByteRate(1000, () => now);
  rate.take(1000);
  expect(rate.waitMs).toBe(0);
  rate.take(500);
  expect(rate.waitMs).toBe(500);
  now += 400;
  expect(rate.waitMs).toBeCloseTo(100);
  now += 10_000;
  expect(rate.waitMs).toBe(0);
  // Idle time gives no more than one burst.
  rate.take(2000);
  expect(rate.waitMs).toBe(1000);
});

test('an infinite rate never waits', async () => {
  const rate = new ByteRate(Number.POSITIVE_INFINITY);
  rate.take(2 ** 40);
  expect(rate.waitMs).toBe(0);
  await rate.settled();
});
