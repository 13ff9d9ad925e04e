import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { compress, isWorthCompressing } from './content-encoding.ts';

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
])('isWorthCompressing a long answer with Accept-Encoding %s returns %s', (accepted, expected) => {
  expect(isWorthCompressing(long, accepted)).toBe(expected);
  expect(isWorthCompressing(long.slice(0, 100), accepted)).toBe(false);
});

test('compress produces gzip', async () => {
  expect(gunzipSync(await compress(long)).toString()).toBe(long);
});
