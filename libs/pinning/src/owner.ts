import { createHash } from 'node:crypto';

/** Returns the owner number of an account in the block store: 48 bits of the SHA-256 of its id, never 0. */
export function ownerOf(account: string): number {
  return createHash('sha256').update(account).digest().readUIntBE(0, 6) || 1;
}
