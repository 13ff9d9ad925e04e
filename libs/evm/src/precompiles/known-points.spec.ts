import { expect, test } from '@jest/globals';
import { KnownPoints } from './known-points.ts';

const point = (value: number) => new Uint8Array(128).fill(value);

test('KnownPoints forgets the point that was used least recently', () => {
  const points = new KnownPoints(2);
  points.add(point(1));
  points.add(point(200));
  expect(points.has(point(1))).toBe(true);
  points.add(point(3));
  expect([1, 200, 3].map((value) => points.has(point(value)))).toEqual([true, false, true]);
});

test('KnownPoints compares all bytes of a point', () => {
  const points = new KnownPoints(2);
  points.add(point(1));
  expect(points.has(point(1).fill(2, 127))).toBe(false);
});
