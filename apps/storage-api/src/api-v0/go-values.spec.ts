import { expect, test } from '@jest/globals';
import { parseGoBoolean, parseGoInteger } from './go-values.ts';

test.each([
  ['0', 0n],
  ['-7', -7n],
  ['+7', 7n],
  ['0755', 0o755n],
  ['0o17', 15n],
  ['0X1f', 31n],
  ['0b11', 3n],
  ['1_000', 1000n],
  ['0_7', 7n],
  ['0x_f', 15n],
  ['2147483647', 2147483647n],
  ['-2147483648', -2147483648n],
])('parseGoInteger reads %s', (text, value) => {
  expect(parseGoInteger(text, 'int')).toBe(value);
});

test.each(['', '-', '08', '1_', '_1', '1__0', '0x', '1.0', ' 1', '1e3', '2147483648', '-2147483649', '9'.repeat(200)])(
  'parseGoInteger refuses %j as int',
  (text) => {
    expect(parseGoInteger(text, 'int')).toBeUndefined();
  },
);

test('parseGoInteger refuses signs of unsigned numbers and keeps the bounds of 64 bits', () => {
  expect(parseGoInteger('-1', 'uint')).toBeUndefined();
  expect(parseGoInteger('+1', 'uint')).toBeUndefined();
  expect(parseGoInteger('4294967295', 'uint')).toBe(4294967295n);
  expect(parseGoInteger('4294967296', 'uint')).toBeUndefined();
  expect(parseGoInteger('9223372036854775807', 'int64')).toBe(2n ** 63n - 1n);
  expect(parseGoInteger('18446744073709551616', 'uint64')).toBeUndefined();
});

test.each([
  ['', true],
  ['T', true],
  ['tRuE', true],
  ['1', true],
  ['0', false],
  ['FALSE', false],
  ['yes', undefined],
])('parseGoBoolean reads %j as %s', (text, value) => {
  expect(parseGoBoolean(text)).toBe(value);
});
