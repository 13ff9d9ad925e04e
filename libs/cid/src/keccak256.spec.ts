import { expect, test } from '@jest/globals';
import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { keccak256 } from './keccak256.ts';

test('keccak256 of no bytes is the published hash', () => {
  expect(Buffer.from(keccak256(new Uint8Array(0))).toString('hex')).toBe(
    'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  );
});

test('keccak256 returns the same digests before and after WebAssembly is compiled, each in its own array', async () => {
  const bytes = (length: number) => Uint8Array.from({ length }, (_, n) => (n * 7 + length) % 256);
  const lengths = [0, 1, 32, 64, 135, 136, 137, 5000, 16_384, 16_385, 100_000];
  const hashes = () => lengths.map((length) => keccak256(bytes(length)));
  const expected = lengths.map((length) => keccak_256(bytes(length)));
  expect(hashes()).toEqual(expected);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(hashes()).toEqual(expected);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (input) => expect(keccak256(input)).toEqual(keccak_256(input))),
  );
});
