import { expect, test } from '@jest/globals';
import { formatTime, parseTime } from './rfc3339.ts';

test.each([
  ['2026-11-22T18:31:53.265001Z', Date.UTC(2026, 10, 22, 18, 31, 53) * 1000 + 265_001],
  ['2026-11-22t18:31:53z', Date.UTC(2026, 10, 22, 18, 31, 53) * 1000],
  ['2026-11-22T18:31:53.123456789+02:00', Date.UTC(2026, 10, 22, 16, 31, 53) * 1000 + 123_456],
  ['2026-11-22T18:31:53.5-11:30', Date.UTC(2026, 10, 23, 6, 1, 53) * 1000 + 500_000],
  ['2016-12-31T23:59:60Z', Date.UTC(2016, 11, 31, 23, 59, 59) * 1000],
])('parseTime reads %s', (text, microseconds) => expect(parseTime(text)).toBe(microseconds));

test.each([
  '',
  'yesterday',
  '1595871148',
  '2020-13-01T00:00:00Z',
  '2023-02-29T00:00:00Z',
  '2023-04-31T00:00:00Z',
  '2023-01-01T24:00:01Z',
  '2023-01-01T00:61:00Z',
  '2023-01-01T00:00:00',
  '2023-01-01 00:00:00Z',
  '2023-01-01T00:00:00.Z',
  '2023-01-01T00:00:00+24:00',
  '+02023-01-01T00:00:00Z',
])('parseTime refuses %j', (text) => expect(parseTime(text)).toBeUndefined());

test('formatTime writes what parseTime reads', () => {
  for (const time of [0, 1, 999, 1000, 1_795_372_430_749_123]) expect(parseTime(formatTime(time))).toBe(time);
  expect(formatTime(1_795_372_430_749_003)).toMatch(/\.749003Z$/);
});
