import type { Hex } from '@cairn/block-model';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeRevertReason, revertMessage } from './revert-reason.ts';

const word = (value: bigint) => value.toString(16).padStart(64, '0');
const panic = (code: bigint): Hex => `0x4e487b71${word(code)}`;
const error = (text: string): Hex => {
  const bytes = Buffer.from(text);
  const padded = bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0');
  return `0x08c379a0${word(32n)}${word(BigInt(bytes.length))}${padded}`;
};

describe('decodeRevertReason', () => {
  test.each([
    [0x00n, 'generic panic'],
    [0x01n, 'assert(false)'],
    [0x11n, 'arithmetic underflow or overflow'],
    [0x12n, 'division or modulo by zero'],
    [0x21n, 'enum overflow'],
    [0x22n, 'invalid encoded storage byte array accessed'],
    [0x31n, 'out-of-bounds array access; popping on an empty array'],
    [0x32n, 'out-of-bounds access of an array or bytesN'],
    [0x41n, 'out of memory'],
    [0x51n, 'uninitialized function'],
    [0x99n, 'unknown panic code: 0x99'],
    [2n ** 255n, `unknown panic code: 0x8${'0'.repeat(63)}`],
  ])('Panic(%s) is %s', (code, reason) => {
    expect(decodeRevertReason(panic(code))).toBe(reason);
    expect(revertMessage(panic(code))).toBe(`execution reverted: ${reason}`);
  });

  test('Error(string) returns its text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => decodeRevertReason(error(text)) === text));
    expect(revertMessage(error(''))).toBe('execution reverted: ');
  });

  test.each([
    ['nothing', '0x'],
    ['half a selector', '0x08c3'],
    ['a custom error', '0xdeadbeef'],
    ['a panic without its code', '0x4e487b7100'],
    ['an offset beyond the end', `0x08c379a0${word(2n ** 255n)}${word(1n)}`],
    ['a length beyond the end', `0x08c379a0${word(32n)}${word(2n ** 200n)}61`],
    ['no length', `0x08c379a0${word(32n)}`],
  ] as const)('%s has no reason', (_, data) => {
    expect(decodeRevertReason(data)).toBeUndefined();
    expect(revertMessage(data)).toBe('execution reverted');
  });

  test('never throws', () => {
    const selector = fc.constantFrom('08c379a0', '4e487b71', '');
    fc.assert(
      fc.property(selector, fc.uint8Array({ maxLength: 200 }), (start, rest) => {
        decodeRevertReason(Buffer.concat([Buffer.from(start, 'hex'), rest]));
      }),
    );
  });
});
