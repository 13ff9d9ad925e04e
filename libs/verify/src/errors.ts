import { CairnError } from '@cairn/errors';

/** Codes of faults that a verification finds. */
export type VerifyErrorCode =
  /** The bytes are no witness, or a part of it cannot be decoded. */
  | 'WITNESS_MALFORMED'
  | 'WITNESS_TOO_LARGE'
  | 'WITNESS_VERSION_UNSUPPORTED'
  /** A trie node, code or header that the verification needs is absent. */
  | 'WITNESS_INCOMPLETE'
  /** A header does not have the trusted hash. */
  | 'BLOCK_UNTRUSTED'
  /** A header is not the parent of its successor. */
  | 'ANCESTOR_UNLINKED'
  | 'CHAIN_MISMATCH'
  /** The witness is for another call or query. */
  | 'REQUEST_DIFFERS'
  /** The execution has another result. */
  | 'RESULT_DIFFERS'
  /** A proof does not lead from its root to its value. */
  | 'PROOF_INVALID'
  /** The parts of a block do not match its header. */
  | 'BLOCK_INVALID'
  | 'RECEIPTS_INVALID'
  | 'LOGS_TOO_MANY'
  /** The answer has a wrong form. */
  | 'ANSWER_MALFORMED';

/** A fault of an answer. Nothing of the answer may be used. */
export class VerifyError extends CairnError<VerifyErrorCode> {
  /** A literal, since bundlers shorten the names of classes. */
  override readonly name = 'VerifyError';

  constructor(
    code: VerifyErrorCode,
    message: string,
    options: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
  ) {
    super(code, message, { hint: 'Request it from another gateway.', ...options });
  }
}

/** Runs `work`; each of its errors that is no {@link VerifyError} becomes one with `code`. */
export function withCode<T>(code: VerifyErrorCode, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof VerifyError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new VerifyError(code, `${what}: ${reason}`, { cause: error });
  }
}
