import { expect, test } from '@jest/globals';
import { RecentUse } from './recent-use.ts';

test('a lane is light until it has used a second, and again when that has faded', () => {
  const use = new RecentUse();
  expect(use.isLight('a', 0)).toBe(true);
  use.add('a', 600, 0);
  expect(use.isLight('a', 0)).toBe(true);
  use.add('a', 5_000, 0);
  expect(use.isLight('a', 0)).toBe(false);
  expect(use.isLight('a', 18_000)).toBe(false);
  expect(use.isLight('a', 19_000)).toBe(true);
  expect(use.isLight('b', 0)).toBe(true);
});

test('lanes that use less than a quarter of a worker stay light', () => {
  const use = new RecentUse();
  for (let at = 0; at < 100_000; at += 100) {
    use.add('a', 20, at);
    expect(use.isLight('a', at)).toBe(true);
  }
});

test('lanes whose use has faded are forgotten, and there are never more than ten thousand', () => {
  const use = new RecentUse();
  for (let lane = 0; lane < 30_000; lane++) use.add(`${lane}`, 10, lane);
  expect(use.lanes).toBeLessThanOrEqual(41);
  for (let lane = 0; lane < 30_000; lane++) use.add(`${lane}`, 10, 30_000);
  expect(use.lanes).toBeLessThanOrEqual(10_000);
});
