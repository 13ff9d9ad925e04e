import { isCairnError } from '@cairn/errors';

/** Codes of faults of stored blocks. `OBJECT_*` and `PACK_*`: the pack of a block is lost or damaged. */
const codes = [
  'BLOCK_NOT_FOUND',
  'BLOCK_CORRUPT',
  'CID_INVALID',
  'CODEC_UNSUPPORTED',
  'DAG_INVALID',
  'DAG_TOO_LARGE',
  'HASH_UNSUPPORTED',
  'OBJECT_NOT_FOUND',
  'OBJECT_RANGE_INVALID',
  'PACK_CORRUPT',
  'STORE_CORRUPT',
] as const;

/**
 * Returns whether an error is a fault of the DAG that was read. Other errors, such as those of a store that does not answer, do
 * not describe the DAG: they end the work, which the caller can repeat.
 */
export function isDagFault(error: unknown): boolean {
  return codes.some((code) => isCairnError(error, code));
}
