// Used by browsers, where SubtleCrypto has no synchronous functions. native-hashes-node.ts exports the same functions from
// OpenSSL.
import { blake2b, blake2s } from '@noble/hashes/blake2.js';
import { shake256 as nobleShake256 } from '@noble/hashes/sha3.js';

export { sha1 } from '@noble/hashes/legacy.js';
export { sha256, sha512 } from '@noble/hashes/sha2.js';
export {
  sha3_224 as sha3224,
  sha3_256 as sha3256,
  sha3_384 as sha3384,
  sha3_512 as sha3512,
} from '@noble/hashes/sha3.js';

export const blake2b512 = (bytes: Uint8Array) => blake2b(bytes);
export const blake2s256 = (bytes: Uint8Array) => blake2s(bytes);

export function shake256(bytes: Uint8Array, length: number): Uint8Array {
  return nobleShake256(bytes, { dkLen: length });
}

/** Browsers have SubtleCrypto only on secure origins, and verify each block on its own thread here. */
export const sha256InThread: ((bytes: Uint8Array) => Promise<Uint8Array>) | undefined = undefined;

/** SubtleCrypto has GMAC as asynchronous calls only, and browsers read few blocks again. */
export const createTagger: ((key?: Uint8Array) => (...parts: readonly Uint8Array[]) => Uint8Array) | undefined =
  undefined;
