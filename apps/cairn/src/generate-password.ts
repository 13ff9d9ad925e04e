import { randomBytes } from 'node:crypto';

/** 120 random bits, in groups that can be read aloud. */
export function generatePassword(): string {
  return randomBytes(15)
    .toString('hex')
    .replaceAll(/(.{6})(?=.)/g, '$1-');
}
