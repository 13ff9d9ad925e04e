import { expect, test } from '@jest/globals';
import { RecentWorkerTime } from './recent-worker-time.ts';

test('a lane is light below a second of worker time, and again after decay', () => {
  const recent = new RecentWorkerTime();
  expect(recent.isLight('a', 0)).toBe(true);
  recent.add('a', 600, 0);
  expect(recent.isLight('a', 0)).toBe(true);
  recent.add('a', 5_000, 0);
  expect(recent.isLight('a', 0)).toBe(false);
  expect(recent.isLight('a', 18_000)).toBe(false);
  expect(recent.isLight('a', 19_000)).toBe(true);
  expect(recent.isLight('b', 0)).toBe(true);
});

test('lanes that use less than a quarter of a worker stay light', () => {
  const recent = new RecentWorkerTime();
  for (let at = 0; at < 100_000; at += 100) {
    recent.add('a', 20, at);
    expect(recent.isLight('a', at)).toBe(true);
  }
});

test('decayed lanes are dropped, and at most 10,000 are kept', () => {
  const recent = new RecentWorkerTime();
  for (let lane = 0; lane < 30_000; lane++) recent.add(`${lane}`, 10, lane);
  expect(recent.lanes).toBeLessThanOrEqual(41);
  for (let lane = 0; lane < 30_000; lane++) recent.add(`${lane}`, 10, 30_000);
  expect(recent.lanes).toBeLessThanOrEqual(10_000);
});
