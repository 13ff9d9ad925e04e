import { CairnError } from '@cairn/errors';

export type UpstreamErrorCode =
  | 'UPSTREAM_ANSWER_INVALID'
  | 'UPSTREAM_CONFIG_INVALID'
  | 'UPSTREAM_NOT_FOUND'
  | 'UPSTREAM_REFUSED'
  | 'UPSTREAM_STATE_PRUNED'
  | 'UPSTREAM_METHOD_UNSUPPORTED'
  | 'UPSTREAMS_DISAGREE'
  | 'UPSTREAMS_UNAVAILABLE';

/** Outcome of one attempt, for error details. Holds no credentials. */
export interface FailedAttempt {
  /** Host and port of the upstream. */
  readonly upstream: string;
  readonly kind: FailureKind;
  readonly reason: string;
}

/**
 * Kinds of failures. `wrong`: the answer contradicts its proof. `stale`: the node does not have the block yet. `pruned`: the
 * node no longer has the state. `unsupported`: the node lacks the method. `limited`: a rate limit. `refused`: a JSON-RPC
 * error of another kind. `failed`: connection, timeout, status or format.
 */
export type FailureKind = 'wrong' | 'stale' | 'pruned' | 'unsupported' | 'limited' | 'refused' | 'failed';

/** Error of this package. Messages name upstreams by host, since a URL may contain a key. */
export class UpstreamError extends CairnError<UpstreamErrorCode> {
  /** JSON-RPC code of a refusal. */
  readonly rpcCode: number | undefined;
  /** `data` of a refusal. */
  readonly rpcData: unknown;

  constructor(
    code: UpstreamErrorCode,
    message: string,
    options: {
      readonly hint?: string;
      readonly attempts?: readonly FailedAttempt[];
      readonly details?: Readonly<Record<string, unknown>>;
      readonly rpcCode?: number | undefined;
      readonly rpcData?: unknown;
    } = {},
  ) {
    super(code, message, {
      ...(options.hint !== undefined && { hint: options.hint }),
      details: { ...options.details, ...(options.attempts && { attempts: options.attempts }) },
    });
    this.rpcCode = options.rpcCode;
    this.rpcData = options.rpcData;
  }
}

/**
 * Thrown by a `parse` callback when an answer contradicts its proof or its type. The pool isolates the upstream and asks
 * another one.
 */
export function answerInvalid(reason: string): UpstreamError {
  return new UpstreamError('UPSTREAM_ANSWER_INVALID', `The answer is not valid: ${reason}.`);
}

/** Failure of one attempt at one upstream. Internal to the pool. */
export class AttemptFailure extends Error {
  readonly kind: FailureKind;
  readonly rpcCode: number | undefined;
  readonly rpcData: unknown;
  /** Time to wait before the next request to this upstream, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: FailureKind,
    reason: string,
    options: { readonly rpcCode?: number; readonly rpcData?: unknown; readonly retryAfterMs?: number | undefined } = {},
  ) {
    super(reason);
    this.kind = kind;
    this.rpcCode = options.rpcCode;
    this.rpcData = options.rpcData;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Thrown by a `parse` callback when the node may not have the block yet. The pool asks another upstream, then this one again. */
export function notYetKnown(reason: string): AttemptFailure {
  return new AttemptFailure('stale', reason);
}

/** Reason of signals whose call has ended. Shared, since a new exception for each of thousands of calls takes longer than the call. */
export const callEnded = new Error('The call has ended.');
