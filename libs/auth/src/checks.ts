import type { ApiKey } from './account.ts';
import { AuthError } from './errors.ts';

/** @throws KEY_REVOKED */
export function alive(key: ApiKey): ApiKey {
  if (key.revokedAt === undefined) return key;
  throw new AuthError('KEY_REVOKED', 'The key is revoked.', { hint: 'Create a new one.' });
}

/** @throws VALUE_INVALID */
export function futureTime(time: number, now: number): number {
  if (Number.isSafeInteger(time) && time > now) return time;
  throw new AuthError('VALUE_INVALID', 'expiresAt: expected a time that is to come, in milliseconds since 1970.', {
    details: { field: 'expiresAt' },
  });
}

/** @throws VALUE_INVALID */
export function check(field: string, value: string, pattern: RegExp, expected: string): void {
  if (pattern.test(value)) return;
  throw new AuthError('VALUE_INVALID', `${field}: ${JSON.stringify(value.slice(0, 80))} is not ${expected}.`, {
    details: { field },
  });
}

/** What Basic credentials carry in every client. The secret itself is never in the message. @throws VALUE_INVALID */
export function checkSecret(secret: string): void {
  if (/^[\x21-\x7e]{1,256}$/.test(secret)) return;
  throw new AuthError('VALUE_INVALID', 'secret: expected 1 to 256 printable ASCII characters without spaces.', {
    details: { field: 'secret' },
  });
}
