import { CairnError } from '@cairn/errors';
import { hexDigitsFromBytes } from '@cairn/platform';

export type ProvenStateErrorCode = 'CONTENT_MISSING' | 'STATE_ROUNDS_EXCEEDED' | 'STATE_READS_EXCEEDED';

/** Error of a run over proven state. */
export class ProvenStateError extends CairnError<ProvenStateErrorCode> {}

/** A run needs content that is not cached. The run is repeated when it is fetched. */
export class ContentMissingError extends ProvenStateError {
  constructor(kind: string, name: Uint8Array) {
    super('CONTENT_MISSING', `The ${kind} 0x${hexDigitsFromBytes(name)} is not cached.`, {
      hint: 'Fetch it, and run again.',
    });
  }
}
