import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { xsalsa20 } from '@noble/ciphers/salsa.js';
import { createSalsaStream } from './salsa-stream.ts';

const key = randomBytes(32);
const nonce = randomBytes(24);

test('parts of any length give the bytes of one call', () => {
  const bytes = new Uint8Array(randomBytes(200_000));
  const expected = xsalsa20(key, nonce, bytes);
  const encrypt = createSalsaStream({ key, nonce });
  const parts: Uint8Array[] = [];
  const lengths = [0, 1, 62, 1, 64, 65, 127, 5000, 65_536];
  for (let begin = 0, n = 0; begin < bytes.length; n++) {
    const part = bytes.subarray(begin, begin + (lengths[n % lengths.length] ?? 1));
    parts.push(encrypt(part));
    begin += part.length;
  }
  expect(Buffer.concat(parts).equals(expected)).toBe(true);
});

test('a stream leaves its input unchanged, and a second stream decrypts its output', () => {
  const bytes = Uint8Array.from(randomBytes(1000));
  const copy = Uint8Array.from(bytes);
  const encrypted = createSalsaStream({ key, nonce })(bytes);
  expect(bytes).toEqual(copy);
  expect(createSalsaStream({ key, nonce })(encrypted)).toEqual(copy);
});

test('many calls of several streams in turn succeed', () => {
  const streams = Array.from({ length: 4 }, () => createSalsaStream({ key, nonce: randomBytes(24) }));
  const byte = Uint8Array.of(1);
  for (let n = 0; n < 70_000; n++) for (const encrypt of streams) encrypt(byte);
  expect(streams.map((encrypt) => encrypt(byte).length)).toEqual([1, 1, 1, 1]);
});
