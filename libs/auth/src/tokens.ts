import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { StoredSecret } from './account.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const checksumCharacters = 6;

/** What generated key ids look like, for secret scanners and log filters. */
export const keyIdPattern = /\bck_[a-z2-7]{26}\b/;
/** What generated secrets look like. */
export const secretPattern = /\bcs_[a-z2-7]{58}\b/;

/** A key id: 100 random bits and a checksum. */
export function generateKeyId(): string {
  return withChecksum('ck_', 20);
}

/** A secret: 260 random bits and a checksum. No search finds it, so one round of SHA-256 keeps it. */
export function generateSecret(): string {
  return withChecksum('cs_', 52);
}

/** True for a generated id or secret whose checksum fits: tells a mistyped one from an unknown one, offline. */
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
/** References kept, so that a request need not hash. */
const referencesMax = 10_000;

/** A name for a key that tells it from others and opens nothing: 64 bits of the SHA-256 of its id. */
export function keyReference(keyId: string): string {
  let reference = references.get(keyId);
  if (reference === undefined) {
    reference = `key_${createHash('sha256').update(keyId).digest('hex').slice(0, 16)}`;
    if (references.size >= referencesMax) references.clear();
    references.set(keyId, reference);
  }
  return reference;
}

/** What to keep of a secret. */
export function storeSecret(secret: string, expiresAt?: number): StoredSecret {
  const salt = randomBytes(16).toString('hex');
  return { salt, hash: hashSecret(salt, secret).toString('hex'), expiresAt };
}

function hashSecret(salt: string, secret: string): Buffer {
  return createHash('sha256').update(salt, 'hex').update(secret).digest();
}

/** No secret has this hash; it stands in where there is no key, so that the work is the same. */
const absent: StoredSecret = { salt: '00'.repeat(16), hash: '00'.repeat(32), expiresAt: undefined };

/**
 * Compares a secret with those of a key in constant time. Always hashes twice, whether there are two secrets, one or
 * none: neither the time nor the work tells an unknown key from a wrong secret.
 */
export function secretMatches(stored: readonly StoredSecret[], secret: string, now: number): boolean {
  let matches = false;
  for (const candidate of [stored[0] ?? absent, stored[1] ?? absent]) {
    const equal = timingSafeEqual(hashSecret(candidate.salt, secret), Buffer.from(candidate.hash, 'hex'));
    const alive = candidate.expiresAt === undefined || candidate.expiresAt > now;
    matches = (equal && alive && candidate !== absent) || matches;
  }
  return matches;
}
