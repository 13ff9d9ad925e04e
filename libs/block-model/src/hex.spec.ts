import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  bigintFromBytes,
  bytesFromBigint,
  parseAddress,
  parseData,
  parseHash,
  parseQuantity,
  quantity,
} from './index.ts';

describe('quantities', () => {
  test('print and parse back, up to 256 bits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
        expect(parseQuantity('x', quantity(value))).toBe(value);
        expect(bigintFromBytes(bytesFromBigint(value))).toBe(value);
      }),
    );
  });

  test.each([
    '',
    '0x',
    '0x00',
    '0x01',
    '1',
    '0xg',
    '-0x1',
    1,
    null,
    undefined,
    '0X1',
    ' 0x1',
    `0x1${'0'.repeat(64)}`,
    `0x${'1'.repeat(1_000_000)}`,
  ])('refuses %p, naming the field and what it takes', (input) => {
    expect(() => parseQuantity('call.gas', input)).toThrow(
      expect.objectContaining({
        code: 'VALUE_INVALID',
        message: expect.stringMatching(/^call\.gas: expected a hexadecimal quantity .{1,200}$/),
      }),
    );
  });
});

describe('data', () => {
  test('is read in any case of letters', () => {
    expect(parseData('data', '0xAbCd')).toBe('0xabcd');
    expect(parseData('data', '0x')).toBe('0x');
    expect(parseAddress('to', `0x${'AB'.repeat(20)}`)).toBe(`0x${'ab'.repeat(20)}`);
  });

  test.each(['0x1', 'ab', '0xzz', 5, null])('refuses %p', (input) => {
    expect(() => parseData('data', input)).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }));
  });

  test.each([`0x${'1'.repeat(63)}`, `0x${'1'.repeat(66)}`, '0x'])('refuses %s as a hash', (input) => {
    expect(() => parseHash('hash', input)).toThrow('32 hexadecimal bytes');
  });
});
