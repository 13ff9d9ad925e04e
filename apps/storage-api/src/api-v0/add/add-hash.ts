import { hashes, hashFunction } from '@cairn/cid';
import { ApiError } from '../api-error.ts';

/** Functions that go-multihash names and Kubo refuses for content. */
const insecure = /^(md5|murmur3-x64-64|shake-128|blake2[bs]-\d{1,3})$/;

/** Codes of functions that go-multihash names but does not implement. */
const unimplemented: Readonly<Record<string, number>> = {
  'sha2-256-trunc254-padded': 0x1012,
  x11: 0x1100,
  'poseidon-bls12_381-a2-fc1': 0xb401,
};

/**
 * Returns the hash function of an `add`, by any spelling that Kubo accepts; undefined for the default.
 * @throws ApiError 400
 */
export function addHash(given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined;
  const name = given.toLowerCase();
  return multihashName(name, `unrecognized hash function: ${JSON.stringify(name)}`);
}

/**
 * Returns the hash function with a name of go-multihash.
 * @throws ApiError 400, in Kubo's words, and with `unknown` for any other name
 */
export function multihashName(name: string, unknown: string): string {
  if (hashes.has(name)) return hashFunction(name).name;
  // Second name of sha3-512 in go-multihash.
  if (name === 'sha3') return 'sha3-512';
  if (insecure.test(name)) throw new ApiError(400, 'potentially insecure hash functions not allowed');
  const code = unimplemented[name];
  if (code !== undefined && Object.hasOwn(unimplemented, name)) {
    const hexadecimal = code.toString(16);
    throw new ApiError(400, `invalid cid: unknown multihash code ${code} (0x${hexadecimal}): no such hash registered`);
  }
  throw new ApiError(400, unknown);
}
