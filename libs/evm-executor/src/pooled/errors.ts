import { CairnError } from '@cairn/errors';

/** Codes of transactions that no node accepts into its pool. */
export type PooledRejectionCode =
  | 'POOLED_FEE_ABOVE_CAP'
  | 'POOLED_UNPROTECTED'
  | 'POOLED_TOO_LARGE'
  | 'POOLED_TYPE_UNSUPPORTED'
  | 'POOLED_INITCODE_TOO_LARGE'
  | 'POOLED_GAS_TOO_HIGH'
  | 'POOLED_BLOCK_GAS_EXCEEDED'
  | 'POOLED_FEE_INVALID'
  | 'POOLED_SENDER_INVALID'
  | 'POOLED_NONCE_SPENT'
  | 'POOLED_GAS_TOO_LOW'
  | 'POOLED_GAS_BELOW_FLOOR'
  | 'POOLED_BLOBS_INVALID'
  | 'POOLED_AUTHORIZATIONS_INVALID'
  | 'POOLED_NONCE_TOO_LOW'
  | 'POOLED_FUNDS_INSUFFICIENT';

/** A signed transaction that a node refuses for its pool. The message is geth's. */
export class PooledRejectedError extends CairnError<PooledRejectionCode> {
  constructor(code: PooledRejectionCode, message: string, hint: string) {
    super(code, message, { hint });
  }
}
