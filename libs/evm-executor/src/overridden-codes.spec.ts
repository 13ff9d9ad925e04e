import { bytesFromHex, type Hex, keccak256 } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import { overriddenCode } from './overridden-codes.ts';

const codeOf = (at: number, length: number): Hex => `0x${at.toString(16).padStart(2 * length, '0')}`;

test('overriddenCode returns the bytes and the hash of each code, also after its bound', () => {
  for (let at = 0; at < 20; at++) {
    const code = codeOf(at, 250_000);
    const { bytes, hash } = overriddenCode(code);
    expect(Buffer.from(bytes).equals(bytesFromHex(code))).toBe(true);
    expect(hash).toEqual(keccak256(bytes));
  }
});

test('overriddenCode returns the same array for the same code', () => {
  expect(overriddenCode('0x6001').bytes).toBe(overriddenCode('0x6001').bytes);
  expect(overriddenCode('0x').bytes).toEqual(new Uint8Array(0));
});
