// Hot path of every download of a large file. Bench: hashes.bench.ts, and tools/bench/ipfs-gateway.mjs for large files.
import { assertBytes } from '@cairn/platform';
import type { CID } from 'multiformats/cid';
import * as native from '#native-hashes';
import { TagSet } from './tag-set.ts';
import { verifyBytesInBackground } from './verify-bytes.ts';

/** Verifies bytes against their CID. The bytes must not change before the call resolves. @throws BYTES_INVALID, BLOCK_CORRUPT, HASH_UNSUPPORTED */
export type BlockVerifier = (cid: CID, bytes: Uint8Array) => Promise<void>;

/** Exchange of codes with verifiers that have the same key, such as those of other processes. */
export interface CodeExchange {
  /** 32 random bytes that no other program learns. */
  readonly key: Uint8Array;
  /** Called with the code of each block that was hashed, 16 bytes. */
  readonly send: (code: Uint8Array) => void;
  /** Calls the listener with codes that other verifiers sent, one after the other in one array. */
  readonly receive: (listener: (codes: Uint8Array) => void) => void;
}

export interface RememberingVerifierOptions {
  /** Blocks that are remembered, a multiple of 4. Each takes 16 bytes. Default 65,536: 1 MiB, for 16 GiB in blocks of 256 KiB. */
  readonly blocksMax?: number;
  /** Verifies blocks that are not remembered. Default: {@link verifyBytesInBackground}. */
  readonly verify?: BlockVerifier;
  /** Exchanges codes, so that one of several processes hashes a block. Default: a key of its own. */
  readonly exchange?: CodeExchange;
}

const codeBytes = 16;

/** Bytes from which a tag pays. It takes 8 µs here and the hash 20; of a block of 8 KiB, both take 6 µs. */
const taggedBytesMin = 32 * 1024;

/**
 * Creates a verifier that recognizes blocks that it has hashed before, by a message authentication code over their multihash and
 * their bytes. The code takes a quarter of the time of the hash. It is computed on every call, so changed bytes are hashed, and
 * refused. Its key is random, and stays in the verifier unless it is given one. Without native codes, as in browsers, every block is hashed.
 */
export function createRememberingVerifier({
  blocksMax = 65_536,
  verify = verifyBytesInBackground,
  exchange,
}: RememberingVerifierOptions = {}): BlockVerifier {
  const tagOf = native.createTagger?.(exchange?.key);
  if (tagOf === undefined) return verify;
  const verified = new TagSet(blocksMax);
  exchange?.receive((codes) => {
    for (let at = 0; at + codeBytes <= codes.length; at += codeBytes) verified.add(codes.subarray(at, at + codeBytes));
  });
  return async (cid, bytes) => {
    assertBytes(bytes, 'bytes');
    if (bytes.length < taggedBytesMin) return verify(cid, bytes);
    // A multihash contains its length, so no other multihash and bytes are the same bytes together.
    const tag = tagOf(cid.multihash.bytes, bytes);
    if (verified.has(tag)) return;
    await verify(cid, bytes);
    verified.add(tag);
    exchange?.send(tag);
  };
}
