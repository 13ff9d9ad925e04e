import { CallRejectedError, type CallRejectionCode } from './errors.ts';

/** Codes of checks that come before a message begins: geth reports them without a prefix. */
const unprefixed: ReadonlySet<CallRejectionCode> = new Set(['CALL_FEES_MIXED', 'CALL_CHAIN_ID_MISMATCH']);

/**
 * Rewords the message of a refused call as a method of geth does; the other errors stay.
 * @param reword gets the message of the state transition
 */
export function reworded(error: unknown, reword: (message: string) => string): unknown {
  if (!(error instanceof CallRejectedError) || unprefixed.has(error.code)) return error;
  return new CallRejectedError(error.code, reword(error.message), error.hint ?? '', error.details);
}

/** As eth_call and eth_simulateV1 report it. */
export function rewordedCall(error: unknown, gasLimit: bigint): unknown {
  return reworded(error, (message) => `err: ${message} (supplied gas ${gasLimit})`);
}
