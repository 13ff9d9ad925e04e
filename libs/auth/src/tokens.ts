// Hot path: each JSON-RPC and storage request hashes or compares here. Bench: auth.bench.ts.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { StoredSecret } from './account.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const checksumCharacters = 6;

/** Pattern of generated key ids, for secret scanners and log filters. */
export const keyIdPattern = /\bck_[a-z2-7]{26}\b/;
/** Pattern of generated secrets, for secret scanners and log filters. */
export const secretPattern = /\bcs_[a-z2-7]{58}\b/;

/** Generates a key id: 100 random bits and a checksum. */
export function generateKeyId(): string {
  return withChecksum('ck_', 20);
}

/** Generates a secret: 260 random bits and a checksum. It cannot be guessed, so one round of SHA-256 protects it. */
export function generateSecret(): string {
  return withChecksum('cs_', 52);
}

/** Reports whether a generated id or secret has a correct checksum. It detects mistyped tokens without a lookup. */
export function hasValidChecksum(token: string): boolean {
  if (!keyIdPattern.test(token) && !secretPattern.test(token)) return false;
  return checksum(token.slice(0, -checksumCharacters)) === token.slice(-checksumCharacters);
}

function withChecksum(prefix: string, characters: number): string {
  // 256 is a multiple of 32, so every character is equally likely.
  const body = Array.from(randomBytes(characters), (byte) => alphabet[byte % 32]).join('');
  return prefix + body + checksum(prefix + body);
}

function checksum(text: string): string {
  const hash = createHash('sha256').update(text).digest();
  return Array.from(hash.subarray(0, checksumCharacters), (byte) => alphabet[byte % 32]).join('');
}

const references = new Map<string, string>();
/** Bound of the cache of references, which saves each request a hash. */
const referencesMax = 10_000;

/** Returns a name of a key for logs and usage rows that is not a credential: 64 bits of the SHA-256 of its id. */
export function keyReference(keyId: string): string {
  let reference = references.get(keyId);
  if (reference === undefined) {
    reference = `key_${createHash('sha256').update(keyId).digest('hex').slice(0, 16)}`;
    if (references.size >= referencesMax) references.clear();
    references.set(keyId, reference);
  }
  return reference;
}

/** Hashes a secret with a new salt, for the store. */
export function createStoredSecret(secret: string, expiresAt?: number): StoredSecret {
  const salt = randomBytes(16).toString('hex');
  return { salt, hash: hashSecret(salt, secret).toString('hex'), expiresAt };
}

function hashSecret(salt: string, secret: string): Buffer {
  return createHash('sha256').update(salt, 'hex').update(secret).digest();
}

/** Placeholder for an absent secret, so that the work is the same. No secret has this hash. */
const placeholder: StoredSecret = { salt: '00'.repeat(16), hash: '00'.repeat(32), expiresAt: undefined };

/**
 * Compares a secret with those of a key in constant time. It always hashes twice, also for a key with one secret or none.
 * Timing therefore does not distinguish an unknown key from a wrong secret.
 */
export function secretMatches(stored: readonly StoredSecret[], secret: string, now: number): boolean {
  let matches = false;
  for (const candidate of [stored[0] ?? placeholder, stored[1] ?? placeholder]) {
    const equal = timingSafeEqual(hashSecret(candidate.salt, secret), Buffer.from(candidate.hash, 'hex'));
    const isCurrent = candidate.expiresAt === undefined || candidate.expiresAt > now;
    matches = (equal && isCurrent && candidate !== placeholder) || matches;
  }
  return matches;
}
