import { CairnError } from '@cairn/errors';

export type ProvenChainErrorCode =
  | 'ANCESTOR_UNPROVEN'
  | 'BLOCK_RANGE_INVALID'
  | 'HEADER_FORMAT_UNKNOWN'
  | 'HEAD_UNAVAILABLE'
  | 'LOGS_TOO_MANY'
  | 'RECEIPTS_UNPROVEN'
  | 'RUN_READS_EXCEEDED'
  | 'RUN_ROUNDS_EXCEEDED'
  | 'STATE_NODE_UNPROVEN';

/** Error of a read over proven blocks. */
export class ProvenChainError extends CairnError<ProvenChainErrorCode> {}
