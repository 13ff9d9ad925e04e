import { CairnError, isCairnError } from '@cairn/errors';
import type { EngineName } from '../engine/engine-name.ts';
import { executionErrors } from '../errors.ts';
import type { CallChain, SourceAttempt } from './call-source.ts';
import type { ExecutionJob, ResultOf } from './execution-job.ts';

/** Data for the start of a worker. */
export interface WorkerData {
  readonly chains: Readonly<Record<string, Pick<CallChain, 'spec' | 'source'>>>;
  readonly gasCapMultiplier: number;
  readonly engine: EngineName;
}

/** The same data with the memory that pool and thread share. */
export interface ThreadData extends WorkerData {
  /** One shared integer: number of the job that must stop early. */
  readonly stopped: Int32Array;
  /** The pool waits for this thread before it executes any job. */
  readonly isFirst: boolean;
}

/** Messages of the pool. The pool sends the next job only after the result of the previous one. */
export type ToWorker =
  | {
      readonly kind: 'job';
      /** Counts the jobs of the worker, from 1. */
      readonly number: number;
      readonly job: ExecutionJob;
      readonly timeoutMs: number;
      /** Runs over an attempt of the source; see {@link SourceAttempt}. */
      readonly isResumed: boolean;
    }
  | { readonly kind: 'end' };

/** Messages of the worker. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unfit'; readonly error: PlainError }
  | {
      readonly kind: 'result';
      readonly result: ResultOf<ExecutionJob>;
      /** Reads of a resumed job; see {@link SourceAttempt}. */
      readonly reads?: unknown;
    }
  | { readonly kind: 'missing'; readonly missing: unknown }
  | { readonly kind: 'error'; readonly error: PlainError };

/** Error in transferable form. Structured clone of an Error would drop code, hint and details. */
export interface PlainError {
  readonly code?: string;
  readonly message: string;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export function plainError(error: unknown): PlainError {
  if (!isCairnError(error)) return { message: error instanceof Error ? error.message : String(error) };
  const { code, message, hint, details } = error;
  return { code, message, details, ...(hint !== undefined && { hint }) };
}

/** Restores an error. An error without a code is a fault of the executor and becomes EXECUTION_FAILED. */
export function errorFromPlain({ code, message, hint, details }: PlainError): CairnError {
  if (code === undefined) return executionErrors.failed('the executor has failed', new Error(message));
  return new CairnError(code, message, {
    ...(hint !== undefined && { hint }),
    ...(details !== undefined && { details }),
  });
}
