import { CallRejectedError, type CallRejectionCode } from './errors.ts';

/** Codes of checks before the state transition. geth reports them without a prefix. */
const unprefixed: ReadonlySet<CallRejectionCode> = new Set(['CALL_FEES_MIXED', 'CALL_CHAIN_ID_MISMATCH']);

/**
 * Rewords the message of a refused call as a method of geth does. Other errors are returned unchanged.
 * @param reword receives the message of the state transition
 */
export function rewordRejection(error: unknown, reword: (message: string) => string): unknown {
  if (!(error instanceof CallRejectedError) || unprefixed.has(error.code)) return error;
  return new CallRejectedError(error.code, reword(error.message), error.hint ?? '', error.details);
}

/** Rewords a refused call as eth_call and eth_simulateV1 report it. */
export function rewordCallRejection(error: unknown, gasLimit: bigint): unknown {
  return rewordRejection(error, (message) => `err: ${message} (supplied gas ${gasLimit})`);
}
