import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  byteLength,
  leadingZeros,
  paddedSlice,
  power,
  putWord,
  readWord,
  signed,
  unsigned,
  viewOf,
  wordAt,
  wordBytes,
  wordFromBytes,
} from './words.ts';

const word = fc.oneof(
  fc.bigInt(0n, 2n ** 256n - 1n),
  fc.bigInt(0n, 2n ** 70n),
  fc.nat({ max: 256 }).map((bit) => BigInt.asUintN(256, 1n << BigInt(bit))),
);
const hexOf = (number: bigint, bytes: number) => number.toString(16).padStart(2 * bytes, '0');
const holds = <T>(of: fc.Arbitrary<T>, check: (value: T) => void) => fc.assert(fc.property(of, check));

test('words convert to bytes and back', () => {
  holds(word, (value) => {
    expect(Buffer.from(wordBytes(value)).toString('hex')).toBe(hexOf(value, 32));
    expect(wordFromBytes(wordBytes(value))).toBe(value);
    expect(byteLength(value)).toBe(value === 0n ? 0 : hexOf(value, 32).replace(/^(00)*/, '').length / 2);
    expect(leadingZeros(value)).toBe(BigInt(256 - (value === 0n ? 0 : value.toString(2).length)));
  });
});

test('wordBytes returns a new array for each call', () => {
  const first = wordBytes(1n);
  wordBytes(2n);
  expect(wordFromBytes(first)).toBe(1n);
});

test('putWord writes a word at any place, and only there', () => {
  holds(fc.tuple(word, fc.nat({ max: 40 })), ([value, at]) => {
    const bytes = new Uint8Array(80).fill(0xee);
    putWord(viewOf(bytes), at, value);
    expect(wordAt(viewOf(bytes), at)).toBe(value);
    expect(readWord(bytes, at)).toBe(value);
    expect(Buffer.from(bytes).toString('hex')).toBe(`${'ee'.repeat(at)}${hexOf(value, 32)}${'ee'.repeat(48 - at)}`);
  });
});

test('readWord and paddedSlice read zeros beyond the end', () => {
  holds(fc.tuple(fc.uint8Array({ maxLength: 50 }), fc.nat({ max: 90 }), fc.nat({ max: 50 })), ([bytes, at, length]) => {
    const padded = Buffer.concat([bytes, Buffer.alloc(150)]);
    expect(Buffer.from(paddedSlice(bytes, at, length))).toEqual(padded.subarray(at, at + length));
    expect(readWord(bytes, at)).toBe(BigInt(`0x${padded.subarray(at, at + 32).toString('hex')}`));
  });
  expect(paddedSlice(Uint8Array.of(1), 2 ** 255, 2)).toEqual(new Uint8Array(2));
});

test('signed and unsigned convert two’s complement', () => {
  holds(word, (value) => {
    expect(signed(value)).toBe(BigInt.asIntN(256, value));
    expect(unsigned(signed(value))).toBe(value);
  });
});

test('power computes modulo 2^256', () => {
  holds(fc.tuple(word, fc.bigInt(0n, 300n)), ([base, exponent]) => {
    expect(power(base, exponent)).toBe(BigInt.asUintN(256, base ** exponent));
  });
});
