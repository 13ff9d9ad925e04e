import { randomBytes } from 'node:crypto';

/** 120 random bits in groups that are easy to read aloud. */
export function generatePassword(): string {
  return randomBytes(15)
    .toString('hex')
    .replaceAll(/(.{6})(?=.)/g, '$1-');
}
