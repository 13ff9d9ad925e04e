import { CairnError } from '@cairn/errors';

export type ProvenStateErrorCode = 'STATE_ROUNDS_EXCEEDED' | 'STATE_READS_EXCEEDED';

/** Error of a run over proven state. */
export class ProvenStateError extends CairnError<ProvenStateErrorCode> {}
