import { expect, test } from '@jest/globals';
import { parseBytes } from './parse-bytes.ts';

test.each([
  ['0', 0],
  ['1000', 1000],
  ['10GiB', 10 * 2 ** 30],
  ['1.5 MB', 1_500_000],
  ['2tib', 2 * 2 ** 40],
  ['none', undefined],
])('%s', (text, expected) => {
  expect(parseBytes(text)).toBe(expected);
});

test.each(['', 'GiB', '-1', '1e9', '10 elephants', '99999999999999TiB'])('refuses %j', (text) => {
  expect(() => parseBytes(text)).toThrow(/expected 10GiB/);
});
