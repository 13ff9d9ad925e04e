import { createHash } from 'node:crypto';
import { blake2b, blake2s } from '@noble/hashes/blake2.js';
import { blake3 } from '@noble/hashes/blake3.js';
import { keccak_224, keccak_256, keccak_384, keccak_512 } from '@noble/hashes/sha3.js';
import * as Digest from 'multiformats/hashes/digest';
import type { MultihashDigest } from 'multiformats/hashes/interface';
import { UnsupportedHashError } from './errors.ts';

export type { MultihashDigest };

/** A hash function of the multicodec table. */
export interface HashFunction {
  readonly name: string;
  readonly code: number;
  /** Length of a full digest in bytes; 0 for `identity`, whose digest is the content. */
  readonly digestBytes: number;
  /** False for functions that only serve to read content others have named (sha1). */
  readonly safe: boolean;
  /** The digest of `bytes`. Synchronous: a hash is CPU work, and a promise per block costs more than small blocks do. */
  readonly compute: (bytes: Uint8Array) => Uint8Array;
}

/** The longest content an identity CID may carry, as Kubo allows it: longer ones would smuggle blocks into names. */
export const identityBytesMax = 128;

/** The shortest digest that names content, as Kubo allows it: shorter ones can be forged. */
export const digestBytesMin = 20;

const native = (algorithm: string) => (bytes: Uint8Array) => createHash(algorithm).update(bytes).digest();
const define = (name: string, code: number, digestBytes: number, compute: HashFunction['compute'], safe = true) => ({
  name,
  code,
  digestBytes,
  compute,
  safe,
});

const table: readonly HashFunction[] = [
  define('identity', 0x00, 0, (bytes) => bytes),
  define('sha1', 0x11, 20, native('sha1'), false),
  define('sha2-256', 0x12, 32, native('sha256')),
  define('sha2-512', 0x13, 64, native('sha512')),
  define('sha3-512', 0x14, 64, native('sha3-512')),
  define('sha3-384', 0x15, 48, native('sha3-384')),
  define('sha3-256', 0x16, 32, native('sha3-256')),
  define('sha3-224', 0x17, 28, native('sha3-224')),
  define('keccak-224', 0x1a, 28, (bytes) => keccak_224(bytes)),
  define('keccak-256', 0x1b, 32, (bytes) => keccak_256(bytes)),
  define('keccak-384', 0x1c, 48, (bytes) => keccak_384(bytes)),
  define('keccak-512', 0x1d, 64, (bytes) => keccak_512(bytes)),
  define('blake3', 0x1e, 32, (bytes) => blake3(bytes)),
  define('dbl-sha2-256', 0x56, 32, (bytes) => native('sha256')(native('sha256')(bytes))),
  ...[20, 28, 32, 48, 64].map((length) =>
    define(`blake2b-${length * 8}`, 0xb200 + length, length, (bytes) => blake2b(bytes, { dkLen: length })),
  ),
  define('blake2s-256', 0xb260, 32, (bytes) => blake2s(bytes, { dkLen: 32 })),
];

/** All hash functions of this package by name, as Kubo spells them. */
export const hashes: ReadonlyMap<string, HashFunction> = new Map(table.map((hash) => [hash.name, hash]));
const byCode: ReadonlyMap<number, HashFunction> = new Map(table.map((hash) => [hash.code, hash]));

/** Looks a hash function up by name or multicodec code. @throws HASH_UNSUPPORTED */
export function hashFunction(hash: string | number): HashFunction {
  const found = typeof hash === 'number' ? byCode.get(hash) : hashes.get(hash);
  if (found === undefined) throw new UnsupportedHashError(hash);
  return found;
}

/** The multihash of `bytes`. @throws HASH_UNSUPPORTED */
export function digest(hash: string | number, bytes: Uint8Array): MultihashDigest {
  const found = hashFunction(hash);
  return Digest.create(found.code, found.compute(bytes));
}

/**
 * Refuses names that new content must not get: unknown or broken hash functions, digests under
 * {@link digestBytesMin} bytes, identity contents over {@link identityBytesMax} (the rules of Kubo's `verifcid`).
 * @throws HASH_UNSUPPORTED
 */
export function assertHashAllowed(multihash: Pick<MultihashDigest, 'code' | 'digest'>): void {
  const { name, safe } = hashFunction(multihash.code);
  if (!safe) throw new UnsupportedHashError(name, 'is not safe to name content with');
  const { length } = multihash.digest;
  if (name === 'identity') {
    if (length > identityBytesMax) {
      throw new UnsupportedHashError(name, `may carry ${identityBytesMax} bytes at most, not ${length}`);
    }
  } else if (length < digestBytesMin) {
    throw new UnsupportedHashError(name, `needs a digest of ${digestBytesMin} bytes or more, not ${length}`);
  }
}

/** Keccak-256 as Ethereum uses it: the original padding, not that of SHA-3 (FIPS 202). */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes);
}
