import type { ApiKey } from './account.ts';
import { AuthError } from './errors.ts';

/** Returns the key if it is not revoked. @throws KEY_REVOKED */
export function requireActiveKey(key: ApiKey): ApiKey {
  if (key.revokedAt === undefined) return key;
  throw new AuthError('KEY_REVOKED', 'The key is revoked.', { hint: 'Create a new key.' });
}

/** Returns the time if it is later than `now`. @throws VALUE_INVALID */
export function requireFutureTime(time: number, now: number): number {
  if (Number.isSafeInteger(time) && time > now) return time;
  throw new AuthError('VALUE_INVALID', 'expiresAt: expected a time in the future, in milliseconds since 1970.', {
    details: { field: 'expiresAt' },
  });
}

/** Requires that a value matches a pattern. `expected` completes the sentence "… is not …". @throws VALUE_INVALID */
export function requirePattern(field: string, value: unknown, pattern: RegExp, expected: string): void {
  if (typeof value !== 'string') throw invalidValue(field, `a value of type ${typeof value}`, expected);
  if (!pattern.test(value)) throw invalidValue(field, JSON.stringify(value.slice(0, 80)), expected);
}

/** Requires one of the listed names. @throws VALUE_INVALID */
export function requireName(field: string, value: unknown, names: readonly string[]): void {
  if (names.some((name) => name === value)) return;
  throw invalidValue(field, JSON.stringify(String(value).slice(0, 80)), names.join(' or '));
}

/** Returns a number from 0 to the largest that counts exactly. Text would be appended to a time. @throws VALUE_INVALID */
export function requireAmount(field: string, value: unknown, expected: string): number {
  if (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
  throw invalidValue(field, JSON.stringify(String(value).slice(0, 80)), expected);
}

function invalidValue(field: string, given: string, expected: string): AuthError {
  return new AuthError('VALUE_INVALID', `${field}: ${given} is not ${expected}.`, { details: { field } });
}

/**
 * Requires a secret that every client can send in Basic credentials. The message does not contain the secret.
 * @throws VALUE_INVALID
 */
export function requireSecret(secret: string): void {
  if (/^[\x21-\x7e]{1,256}$/.test(secret)) return;
  throw new AuthError('VALUE_INVALID', 'secret: expected 1 to 256 printable ASCII characters without spaces.', {
    details: { field: 'secret' },
  });
}
