import { expect, test } from '@jest/globals';
import { evenTicks, timeTicks } from './ticks.ts';

test('ticks of counts are round numbers', () => {
  expect(evenTicks(18)).toEqual([0, 5, 10, 15, 20]);
  expect(evenTicks(27)).toEqual([0, 10, 20, 30]);
  expect(evenTicks(1_234_567)).toEqual([0, 500_000, 1_000_000, 1_500_000]);
  expect(evenTicks(0)).toEqual([0, 1]);
});

test('ticks of bytes are whole units', () => {
  const kib = 1024;
  expect(evenTicks(293 * kib, 1024)).toEqual([0, 128 * kib, 256 * kib, 384 * kib]);
  expect(evenTicks(5 * kib ** 3, 1024)).toEqual([0, 2, 4, 6].map((count) => count * kib ** 3));
  expect(evenTicks(3, 1024)).toEqual([0, 1, 2, 3]);
});

test('times of labels are evenly spaced at whole units', () => {
  const minutes = Array.from({ length: 60 }, (_, n) => (n + 7) * 60_000);
  expect(timeTicks(minutes, 60_000, 0)).toEqual([10, 20, 30, 40, 50, 60].map((n) => n * 60_000));
  const days = Array.from({ length: 30 }, (_, n) => n * 86_400_000);
  expect(timeTicks(days, 86_400_000, 0)).toEqual([0, 5, 10, 15, 20, 25].map((n) => n * 86_400_000));
});
