import { assertBytes } from '@cairn/platform';
import { blake2b, blake2s } from '@noble/hashes/blake2.js';
import { blake3 } from '@noble/hashes/blake3.js';
import { keccak_224, keccak_384, keccak_512 } from '@noble/hashes/sha3.js';
import * as Digest from 'multiformats/hashes/digest';
import type { MultihashDigest } from 'multiformats/hashes/interface';
import * as native from '#native-hashes';
import { DigestLengthError, UnsupportedHashError } from './errors.ts';
import { keccak256 } from './keccak256.ts';

export type { MultihashDigest };

/** Hash function of the multicodec table. */
export interface HashFunction {
  readonly name: string;
  readonly code: number;
  /** Length of a full digest in bytes. 0 for `identity`, whose digest is the content. */
  readonly digestBytes: number;
  /**
   * Computes the digest of `bytes`. Extendable-output functions (blake3, shake-256) return `length` bytes; all other
   * functions, and calls without `length`, return a full digest. Synchronous: hashing is CPU work, and a promise per block
   * costs more than hashing a small block.
   */
  readonly compute: (bytes: Uint8Array, length?: number) => Uint8Array;
}

/** Maximum content of an identity CID in bytes, as in Kubo. It prevents blocks from being hidden in CIDs. */
export const identityBytesMax = 128;

/** Minimum length of a digest in bytes, as in Kubo. Shorter digests can be forged. */
export const digestBytesMin = 20;

/** Maximum length of a digest in bytes, as in Kubo. */
export const digestBytesMax = 128;

const define = (name: string, code: number, digestBytes: number, compute: HashFunction['compute']) => ({
  name,
  code,
  digestBytes,
  compute,
});
/** Defines one function for each digest length from {@link digestBytesMin}, numbered as in the multicodec table. */
const family = (
  name: string,
  codeBase: number,
  lengthMax: number,
  compute: (bytes: Uint8Array, length: number) => Uint8Array,
) =>
  Array.from({ length: lengthMax - digestBytesMin + 1 }, (_, n) => digestBytesMin + n).map((length) =>
    define(`${name}-${length * 8}`, codeBase + length, length, (bytes) => compute(bytes, length)),
  );

const table: readonly HashFunction[] = [
  define('identity', 0x00, 0, (bytes) => bytes),
  define('sha1', 0x11, 20, native.sha1),
  define('sha2-256', 0x12, 32, native.sha256),
  define('sha2-512', 0x13, 64, native.sha512),
  define('sha3-512', 0x14, 64, native.sha3512),
  define('sha3-384', 0x15, 48, native.sha3384),
  define('sha3-256', 0x16, 32, native.sha3256),
  define('sha3-224', 0x17, 28, native.sha3224),
  define('shake-256', 0x19, 64, (bytes, length = 64) => native.shake256(bytes, length)),
  define('keccak-224', 0x1a, 28, (bytes) => keccak_224(bytes)),
  define('keccak-256', 0x1b, 32, keccak256),
  define('keccak-384', 0x1c, 48, (bytes) => keccak_384(bytes)),
  define('keccak-512', 0x1d, 64, (bytes) => keccak_512(bytes)),
  define('blake3', 0x1e, 32, (bytes, length = 32) => blake3(bytes, { dkLen: length })),
  define('dbl-sha2-256', 0x56, 32, (bytes) => native.sha256(native.sha256(bytes))),
  ...family('blake2b', 0xb200, 64, (bytes, dkLen) =>
    dkLen === 64 ? native.blake2b512(bytes) : blake2b(bytes, { dkLen }),
  ),
  ...family('blake2s', 0xb240, 32, (bytes, dkLen) =>
    dkLen === 32 ? native.blake2s256(bytes) : blake2s(bytes, { dkLen }),
  ),
];

/** Hash functions by name, spelled as in Kubo. */
export const hashes: ReadonlyMap<string, HashFunction> = new Map(table.map((entry) => [entry.name, entry]));
const byCode: ReadonlyMap<number, HashFunction> = new Map(table.map((entry) => [entry.code, entry]));

/** Finds a hash function by name or multicodec code. @throws HASH_UNSUPPORTED */
export function hashFunction(nameOrCode: string | number): HashFunction {
  const found = typeof nameOrCode === 'number' ? byCode.get(nameOrCode) : hashes.get(nameOrCode);
  if (found === undefined) throw new UnsupportedHashError(nameOrCode);
  return found;
}

/**
 * Computes the multihash of `bytes`. `length` truncates the digest to this number of bytes. Default: the full digest.
 * @throws BYTES_INVALID; HASH_UNSUPPORTED, also if the digest has fewer than `length` bytes, or is another than the whole content of an
 * identity multihash
 */
export function digest(nameOrCode: string | number, bytes: Uint8Array, length?: number): MultihashDigest {
  assertBytes(bytes, 'bytes');
  const { name, code, compute } = hashFunction(nameOrCode);
  if (length === undefined) return Digest.create(code, compute(bytes));
  if (code === 0 && length !== bytes.length)
    throw new UnsupportedHashError(name, `gives the ${bytes.length} bytes of its content, not ${length}`);
  if (code === 0) return Digest.create(code, compute(bytes));
  if (!Number.isInteger(length))
    throw new UnsupportedHashError(name, `gives a whole number of bytes, not ${String(length)}`);
  const full = compute(bytes, length);
  if (full.length < length || length < 1)
    throw new UnsupportedHashError(name, `gives 1 to ${full.length} bytes, not ${length}`);
  return Digest.create(code, full.subarray(0, length));
}

/**
 * Requires a multihash that content may have. Refused are unsupported hash functions, digests shorter than {@link
 * digestBytesMin} or longer than {@link digestBytesMax} bytes, and identity content longer than {@link identityBytesMax}.
 * The rules are those of Kubo (boxo, `verifcid`), which allows sha1 for Git.
 * @throws HASH_UNSUPPORTED
 */
export function assertHashAllowed(multihash: Pick<MultihashDigest, 'code' | 'digest'>): void {
  const { name } = hashFunction(multihash.code);
  const { length } = multihash.digest;
  const bounds = name === 'identity' ? { min: 0, max: identityBytesMax } : { min: digestBytesMin, max: digestBytesMax };
  if (length < bounds.min || length > bounds.max) throw new DigestLengthError(name, length, bounds);
}
