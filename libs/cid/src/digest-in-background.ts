// Hot path of fetched files. Bench: tools/bench/ipfs-peer.
import { assertBytes } from '@cairn/platform';
import * as Digest from 'multiformats/hashes/digest';
import * as native from '#native-hashes';
import { digest, hashFunction, type MultihashDigest } from './hashes.ts';

const sha256Code = 0x12;

/** Bytes from which a thread pays: it copies them, which takes a third of the time of the hash at 256 KiB. */
const threadBytesMin = 128 * 1024;

/**
 * Hashes that run in threads concurrently. Each holds a copy of its bytes. Node has four such threads by default, which also
 * write to the disk.
 */
const threadHashesMax = 3;

let threadHashes = 0;

/**
 * Computes the full digest of long bytes in another thread. Returns undefined for short bytes, for other functions than sha2-256,
 * and where the platform has no free thread: the caller hashes them itself.
 */
export function hashInThread(code: number, bytes: Uint8Array): Promise<Uint8Array> | undefined {
  if (code !== sha256Code || bytes.length < threadBytesMin || threadHashes >= threadHashesMax) return undefined;
  if (native.sha256InThread === undefined) return undefined;
  threadHashes++;
  return native.sha256InThread(bytes).finally(() => {
    threadHashes--;
  });
}

/**
 * Computes a multihash as {@link digest} does. Long bytes are hashed in another thread where the platform has one free, so that
 * other work continues meanwhile. The caller must not change the bytes before the call resolves.
 * @throws BYTES_INVALID, HASH_UNSUPPORTED
 */
export async function digestInBackground(
  nameOrCode: string | number,
  bytes: Uint8Array,
  length?: number,
): Promise<MultihashDigest> {
  assertBytes(bytes, 'bytes');
  const { code, digestBytes } = hashFunction(nameOrCode);
  const isWithin = length === undefined || (Number.isInteger(length) && length >= 1 && length <= digestBytes);
  const full = isWithin ? await hashInThread(code, bytes) : undefined;
  if (full === undefined) return digest(nameOrCode, bytes, length);
  return Digest.create(code, full.subarray(0, length));
}
