import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { isWorthPacking, pack } from './content-encoding.ts';

const long = 'a'.repeat(5_000);

test.each([
  ['gzip', true],
  ['deflate, GZIP;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['gzip; q=0.0, br', false],
  ['br, deflate', false],
  ['', false],
  [undefined, false],
])('Accept-Encoding: %s: %s', (accepted, expected) => {
  expect(isWorthPacking(long, accepted)).toBe(expected);
  expect(isWorthPacking(long.slice(0, 100), accepted)).toBe(false);
});

test('what is packed unpacks', async () => {
  expect(gunzipSync(await pack(long)).toString()).toBe(long);
});
