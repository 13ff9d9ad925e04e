import { createHash } from 'node:crypto';

/** The number that stands for an account in the block store: 48 bits of a digest of its id, never 0. */
export function ownerOf(account: string): number {
  return createHash('sha256').update(account).digest().readUIntBE(0, 6) || 1;
}
