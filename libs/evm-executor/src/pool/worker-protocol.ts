import { CairnError, isCairnError } from '@cairn/errors';
import type { EngineName } from '../engine/engine-name.ts';
import { executionErrors } from '../errors.ts';
import type { CallChain } from './call-source.ts';
import type { ExecutionJob, ResultOf } from './execution-job.ts';

/** What a worker is started with. */
export interface WorkerData {
  readonly chains: Readonly<Record<string, CallChain>>;
  readonly gasCapMultiplier: number;
  readonly engine: EngineName;
}

/** The same in the thread of the worker. */
export interface ThreadData extends WorkerData {
  /** One integer, shared: the number of the last job that is to end before its time. */
  readonly stopped: Int32Array;
}

/** From the pool: a job and how long it may take, or the wish that the worker ends. Jobs come one at a time. */
export type ToWorker =
  | {
      readonly kind: 'job';
      /** From 1 on, in the order of the jobs of the worker. */
      readonly number: number;
      readonly job: ExecutionJob;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'end' };

/** From the worker. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unfit'; readonly error: PlainError }
  | { readonly kind: 'result'; readonly result: ResultOf<ExecutionJob> }
  | { readonly kind: 'error'; readonly error: PlainError };

/** An error as it crosses threads: structured clone would drop code, hint and details. */
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

/** The error again, matched by its code as before. What had no code was a fault of ours, not of the call. */
export function errorFromPlain({ code, message, hint, details }: PlainError): CairnError {
  if (code === undefined) return executionErrors.failed('a fault in the executor', new Error(message));
  return new CairnError(code, message, {
    ...(hint !== undefined && { hint }),
    ...(details !== undefined && { details }),
  });
}
