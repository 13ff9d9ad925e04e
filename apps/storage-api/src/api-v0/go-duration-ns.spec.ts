import { expect, test } from '@jest/globals';
import { parseGoDurationNs } from './go-duration-ns.ts';

test.each([
  ['0', 0n],
  ['300s', 300_000_000_000n],
  ['1h30m', 5_400_000_000_000n],
  ['-1.5h', -5_400_000_000_000n],
  ['.5s', 500_000_000n],
  ['1µs2ns', 1002n],
])('parseGoDurationNs reads %s', (text, expected) => {
  expect(parseGoDurationNs(text)).toBe(expected);
});

// Messages of Kubo 0.42.
test.each([
  ['x', 'time: invalid duration "x"'],
  ['', 'time: invalid duration ""'],
  ['5', 'time: missing unit in duration "5"'],
  ['1d', 'time: unknown unit "d" in duration "1d"'],
  ['9999999999h', 'time: invalid duration "9999999999h"'],
])('parseGoDurationNs refuses %j in the words of Go', (text, message) => {
  expect(() => parseGoDurationNs(text, 'prefix: ')).toThrow(`prefix: ${message}`);
});
