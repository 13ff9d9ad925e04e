import { hash, verify } from '@node-rs/argon2';
import { AuthError } from '../errors.ts';

/** First recommendation of OWASP for argon2id: 19 MiB, two passes, parallelism 1. About 30 ms of a core. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const lengthMin = 10;
const lengthMax = 256;

/** Requires a password that is not easy to guess. @throws PASSWORD_WEAK */
export function checkPassword(password: string, email: string): void {
  const name = email.split('@')[0] ?? '';
  const isGuessable = new Set(password).size < 5 || password.toLowerCase().includes(email) || password === name;
  if (password.length >= lengthMin && password.length <= lengthMax && !isGuessable) return;
  throw new AuthError(
    'PASSWORD_WEAK',
    `password: expected ${lengthMin} to ${lengthMax} characters, at least five of them different, without the e-mail address.`,
    { hint: 'Use several words: they are easy to remember.', details: { field: 'password' } },
  );
}

/** Hashes a password with argon2id (RFC 9106), as a PHC string. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

/** Compares a password with a stored hash. With an empty hash or none it does the same work, so that timing does not reveal members. */
export async function passwordMatches(stored: string | undefined, password: string): Promise<boolean> {
  if (stored !== undefined && stored !== '') return await verify(stored, password);
  await hash(password, cost);
  return false;
}
