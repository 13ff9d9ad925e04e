import { describe, expect, test } from '@jest/globals';
import { parseAddress, parseData, parseHash, parseQuantity, parseUint64 } from './index.ts';

/** Returns the reason of the error in the wording of geth. */
function reasonOf(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    expect(error).toMatchObject({
      code: 'VALUE_INVALID',
      message: expect.stringMatching(/^call\.x: expected .{1,200}$/),
    });
    return (error as { readonly details: Readonly<Record<string, unknown>> }).details.reason;
  }
}

const big = (fault: string) => `json: cannot unmarshal ${fault} into Go value of type *hexutil.Big`;

// Messages of geth 1.17.5.
describe('parseQuantity', () => {
  test.each([
    ['0x', big('hex string "0x"')],
    ['0x00', big('hex number with leading zero digits')],
    ['0x01', big('hex number with leading zero digits')],
    ['1', big('hex string without 0x prefix')],
    ['latest', big('hex string without 0x prefix')],
    ['0xg', big('invalid hex string')],
    ['-0x1', big('hex string without 0x prefix')],
    [1, big('non-string')],
    [null, big('non-string')],
    [undefined, big('non-string')],
    [' 0x1', big('hex string without 0x prefix')],
    [`0x1${'0'.repeat(64)}`, big('hex number > 256 bits')],
    [`0x${'1'.repeat(1_000_000)}`, big('hex number > 256 bits')],
  ])('refuses %p with the field, the expected form and the fault', (input, reason) => {
    expect(reasonOf(() => parseQuantity('call.x', input))).toBe(reason);
  });

  test.each([
    [undefined, /, but it is missing$/],
    [null, /, got null$/],
    ['x', /, got "x"$/],
    ['x'.repeat(1000), /, got "x{76}\.\.\.$/],
  ])('the message ends with the value, or reports that it is missing: %p', (input, message) => {
    expect(() => parseQuantity('call.x', input)).toThrow(message);
  });

  test('accepts 0X, both cases of digits and the empty string, as geth does', () => {
    expect([parseQuantity('x', '0XaB'), parseQuantity('x', ''), parseQuantity('x', '0x0')]).toEqual([0xabn, 0n, 0n]);
  });
});

describe('parseUint64', () => {
  test('accepts 64 bits at most', () => {
    expect(parseUint64('x', '0xffffffffffffffff')).toBe(2n ** 64n - 1n);
    expect(reasonOf(() => parseUint64('call.x', '0x10000000000000000', 'hexutil.Uint'))).toBe(
      'json: cannot unmarshal hex number > 64 bits into Go value of type hexutil.Uint',
    );
  });
});

describe('parseData', () => {
  test('accepts any case of letters and of the prefix', () => {
    expect(parseData('data', '0xAbCd')).toBe('0xabcd');
    expect(parseData('data', '0XAb')).toBe('0xab');
    expect(parseData('data', '0x')).toBe('0x');
    expect(parseData('data', '')).toBe('0x');
    expect(parseAddress('to', `0X${'AB'.repeat(20)}`)).toBe(`0x${'ab'.repeat(20)}`);
  });

  const bytes = (fault: string) => `json: cannot unmarshal ${fault} into Go value of type hexutil.Bytes`;
  test.each([
    ['0x1', bytes('hex string of odd length')],
    ['ab', bytes('hex string without 0x prefix')],
    ['0xzz', bytes('invalid hex string')],
    [5, bytes('non-string')],
    [null, bytes('non-string')],
  ])('refuses %p', (input, reason) => {
    expect(reasonOf(() => parseData('call.x', input))).toBe(reason);
  });

  const hash = (fault: string) => `json: cannot unmarshal ${fault} into Go value of type common.Hash`;
  test.each([
    [`0x${'1'.repeat(63)}`, hash('hex string of odd length')],
    [`0x${'1'.repeat(66)}`, 'hex string has length 66, want 64 for common.Hash'],
    [`0x${'z'.repeat(62)}`, 'hex string has length 62, want 64 for common.Hash'],
    [`0x${'z'.repeat(64)}`, hash('invalid hex string')],
    ['1'.repeat(66), hash('hex string without 0x prefix')],
    ['0x', 'hex string has length 0, want 64 for common.Hash'],
    ['', 'hex string has length 0, want 64 for common.Hash'],
  ])('refuses %s as a hash', (input, reason) => {
    expect(reasonOf(() => parseHash('call.x', input))).toBe(reason);
  });
});
