import { isCairnError } from '@cairn/errors';

/** Reports whether an error means that a name or a block does not exist here. */
export function isMissing(error: unknown): boolean {
  return isCairnError(error, 'LINK_NOT_FOUND') || isCairnError(error, 'BLOCK_NOT_FOUND');
}
