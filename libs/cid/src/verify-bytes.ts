// Hot path of every download. Bench: hashes.bench.ts, and tools/bench/ipfs-gateway.mjs for large files.
import { assertBytes, compareBytes, hexDigitsFromBytes } from '@cairn/platform';
import type { CID } from 'multiformats/cid';
import * as Digest from 'multiformats/hashes/digest';
import { hashInThread } from './digest-in-background.ts';
import { CorruptBlockError } from './errors.ts';
import { hashFunction } from './hashes.ts';

/**
 * Verifies bytes against their CID: hashes them and compares. A truncated multihash is compared over its length.
 * @throws BYTES_INVALID; BLOCK_CORRUPT with the expected and the actual multihash; HASH_UNSUPPORTED
 */
export function verifyBytes(cid: CID, bytes: Uint8Array): void {
  assertBytes(bytes, 'bytes');
  const { multihash } = cid;
  const { compute } = hashFunction(multihash.code);
  const { length } = multihash.digest;
  // The digest of `identity` is the whole content. Truncated to the expected length, any longer content would match.
  const actual = multihash.code === 0 ? bytes : compute(bytes, Math.max(length, 1)).subarray(0, length);
  assertDigest(cid, actual);
}

/**
 * Verifies bytes as {@link verifyBytes} does. Long bytes are hashed in another thread where the platform has one free, so that
 * other work continues meanwhile. The caller must not change the bytes before the call resolves.
 * @throws BYTES_INVALID, BLOCK_CORRUPT, HASH_UNSUPPORTED
 */
export async function verifyBytesInBackground(cid: CID, bytes: Uint8Array): Promise<void> {
  assertBytes(bytes, 'bytes');
  const { code, digest } = cid.multihash;
  const actual = await hashInThread(code, bytes);
  if (actual === undefined) verifyBytes(cid, bytes);
  else assertDigest(cid, actual.subarray(0, digest.length));
}

/** @throws BLOCK_CORRUPT unless the digest is that of the CID */
function assertDigest(cid: CID, actual: Uint8Array): void {
  const { multihash } = cid;
  const isComparable = multihash.digest.length > 0 || multihash.code === 0;
  if (isComparable && compareBytes(multihash.digest, actual) === 0) return;
  throw new CorruptBlockError(cid.toString(), {
    expected: hexDigitsFromBytes(multihash.bytes),
    actual: hexDigitsFromBytes(Digest.create(multihash.code, actual.subarray(0, 128)).bytes),
  });
}
