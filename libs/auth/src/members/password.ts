import { hash, verify } from '@node-rs/argon2';
import { AuthError } from '../errors.ts';

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. About 30 ms of a core. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const lengthMin = 10;
const lengthMax = 256;

/** @throws PASSWORD_WEAK */
export function checkPassword(password: string, email: string): void {
  const name = email.split('@')[0] ?? '';
  const isGuessable = new Set(password).size < 5 || password.toLowerCase().includes(email) || password === name;
  if (password.length >= lengthMin && password.length <= lengthMax && !isGuessable) return;
  throw new AuthError(
    'PASSWORD_WEAK',
    `password: expected ${lengthMin} to ${lengthMax} characters, at least five of them different, without the e-mail address.`,
    { hint: 'A few words in a row are easy to keep in mind.', details: { field: 'password' } },
  );
}

/** What to keep of a password: a PHC string of argon2id (RFC 9106). */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

/** Whether it is this password. As much work where there is no hash, so that time does not tell who is a member. */
export async function passwordMatches(stored: string | undefined, password: string): Promise<boolean> {
  if (stored !== undefined) return await verify(stored, password);
  await hash(password, cost);
  return false;
}
