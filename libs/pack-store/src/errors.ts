import { CairnError } from '@cairn/errors';

export type PackErrorCode =
  | 'PACK_CORRUPT'
  | 'PACK_BLOCK_TOO_LARGE'
  | 'PACK_WRITER_CLOSED'
  | 'PACK_GRACE_TOO_SHORT'
  | 'SCRUB_LEASE_LOST';

/** Error of this package. */
export class PackError extends CairnError<PackErrorCode> {}

/** Error of a pack whose bytes are not those that were written. */
export function packCorrupt(pack: string, problem: string, cause?: unknown): PackError {
  return new PackError('PACK_CORRUPT', `The pack ${pack} is damaged: ${problem}.`, {
    hint: 'Restore the object from a backup, or add its content again.',
    details: { pack, problem },
    cause,
  });
}
