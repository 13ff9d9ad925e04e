import { randomBytes } from 'node:crypto';
import type { SharedFunctions } from './process-group.ts';

/** Creates a shared function that returns 32 random bytes, the same for all processes of a service until its primary one ends. */
export function sharedKey(name: string): SharedFunctions {
  const key = randomBytes(32);
  return { [name]: () => key };
}
