// Hot path: every block is hashed here. OpenSSL is several times as fast as JavaScript, but has BLAKE2 in full length only.
// Bench: hashes.bench.ts.
import { createCipheriv, createHash, hash, randomBytes, webcrypto } from 'node:crypto';

const native = (algorithm: string) => (bytes: Uint8Array) => hash(algorithm, bytes, 'buffer');

export const sha1 = native('sha1');
export const sha256 = native('sha256');
export const sha512 = native('sha512');
export const sha3224 = native('sha3-224');
export const sha3256 = native('sha3-256');
export const sha3384 = native('sha3-384');
export const sha3512 = native('sha3-512');
export const blake2b512 = native('blake2b512');
export const blake2s256 = native('blake2s256');

export function shake256(bytes: Uint8Array, length: number): Uint8Array {
  return createHash('shake256', { outputLength: length }).update(bytes).digest();
}

/** Hashes a copy of the bytes in a thread of the pool. */
export const sha256InThread: ((bytes: Uint8Array) => Promise<Uint8Array>) | undefined = async (bytes) =>
  new Uint8Array(await webcrypto.subtle.digest('SHA-256', bytes));

/** Computes a tag over its arguments, one after the other. */
export type Tagger = (...parts: readonly Uint8Array[]) => Uint8Array;

/**
 * Creates a function that computes 16 bytes over its arguments, one after the other: GMAC (NIST SP 800-38D) with a key of 32 random
 * bytes, by default a new one. The fixed nonce makes it a keyed universal hash, which is safe while no tag is published.
 */
export const createTagger: ((key?: Uint8Array) => Tagger) | undefined = (key = randomBytes(32)) => {
  const nonce = new Uint8Array(12);
  return (...parts) => {
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    for (const part of parts) cipher.setAAD(part);
    cipher.final();
    return cipher.getAuthTag();
  };
};
