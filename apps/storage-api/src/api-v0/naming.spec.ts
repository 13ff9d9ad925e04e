import { expect, test } from '@jest/globals';
import { askedNaming } from './naming.ts';

const asked = (version: number | undefined, hash: string | undefined) => askedNaming({ 'cid-version': version, hash });

test.each([
  [undefined, undefined, undefined],
  [0, undefined, { cidVersion: 0, hash: 'sha2-256' }],
  [1, undefined, { cidVersion: 1, hash: 'sha2-256' }],
  // A hash function means version 1 in Kubo, also the default one and beside cid-version=0.
  [0, 'sha2-256', { cidVersion: 1, hash: 'sha2-256' }],
  [undefined, 'SHA2-512', { cidVersion: 1, hash: 'sha2-512' }],
  [undefined, 'sha3', { cidVersion: 1, hash: 'sha3-512' }],
])('cid-version %p and hash %p mean %j', (version, hash, expected) => {
  expect(asked(version, hash)).toEqual(expected);
});

test.each([
  [2, undefined, 'unknown CID version: 2'],
  [undefined, 'md5', 'potentially insecure hash functions not allowed'],
  [undefined, 'nope', 'unrecognized hash function: "nope"'],
])("cid-version %p and hash %p are refused in Kubo's words", (version, hash, message) => {
  expect(() => asked(version, hash)).toThrow(message);
});
