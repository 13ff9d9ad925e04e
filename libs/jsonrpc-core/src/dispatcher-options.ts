import { CairnError } from '@cairn/errors';
import type { EventLoopScheduler } from './event-loop-scheduler.ts';
import type { AnyMethod } from './method.ts';
import type { RpcError } from './rpc-error.ts';

export interface DispatcherLimits {
  /** Maximum length of a body in bytes, so that one connection cannot fill the memory. Default 5 MiB. */
  readonly bodyBytesMax: number;
  /** Maximum number of requests in one batch. Default 1,000. */
  readonly batchLengthMax: number;
  /** Deepest nesting of brackets, since parsing recurses. Default 32. */
  readonly depthMax: number;
  /**
   * Maximum number of JSON values in one body, counted by commas and brackets. Parsing a value takes up to 2 µs. Default
   * 50,000.
   */
  readonly valuesMax: number;
  /** Requests of one batch that run concurrently, so that one client cannot occupy all workers. Default 16. */
  readonly batchConcurrency: number;
  /**
   * Maximum length of an answer in characters, as geth's BatchResponseMaxSize. An answer is joined and encoded in one
   * piece. Default 25,000,000.
   */
  readonly responseCharactersMax: number;
}

export const defaultLimits: DispatcherLimits = {
  bodyBytesMax: 5 * 1024 * 1024,
  batchLengthMax: 1000,
  depthMax: 32,
  valuesMax: 50_000,
  batchConcurrency: 16,
  responseCharactersMax: 25_000_000,
};

/**
 * Completes limits with the defaults. `undefined` means the default: it must not remove a limit.
 * @throws VALUE_INVALID for a limit below 1, with which no body or batch is answered
 */
export function limitsFrom(given: Partial<DispatcherLimits> = {}): DispatcherLimits {
  const limits: Record<keyof DispatcherLimits, number> = { ...defaultLimits };
  for (const name of Object.keys(defaultLimits) as (keyof DispatcherLimits)[]) {
    const value: unknown = given[name];
    if (value === undefined) continue;
    // Infinity is allowed: it disables a limit on purpose.
    if (typeof value !== 'number' || !(value >= 1))
      throw new CairnError('VALUE_INVALID', `limits.${name}: expected a number of at least 1, got ${String(value)}.`, {
        hint: `Omit it for the default, ${defaultLimits[name]}.`,
        details: { field: `limits.${name}` },
      });
    limits[name] = value;
  }
  return limits;
}

/** One finished request, for logs and metrics. */
export interface DispatchedCall {
  /** Name of a known method. Other names are reported as `unknown`, so that clients cannot fill metrics with them. */
  readonly method: string;
  /** Milliseconds. */
  readonly duration: number;
  /** Cost in the definition of the method; 0 for an unknown method. */
  readonly cost: number;
  /** JSON-RPC error code; absent for a result. */
  readonly errorCode?: number;
  /** False if {@link DispatcherOptions.admit} refused the request. */
  readonly isAdmitted: boolean;
  /** Length of the answer; 0 for a notification. */
  readonly characters: number;
}

export interface DispatcherOptions<Context> {
  readonly methods: readonly AnyMethod<Context>[];
  readonly limits?: Partial<DispatcherLimits>;
  /**
   * Converts an error of a handler to what the client gets. If it returns `undefined`, the client gets -32603 with the reference,
   * which this function can log together with the error.
   */
  readonly errorFrom?: (error: unknown, reference: string) => RpcError | undefined;
  /**
   * Throws or rejects to refuse a request, for example at a rate limit. Called before parameters are read, also for unknown methods.
   * Returns `undefined` if no wait is needed.
   */
  readonly admit?: (method: AnyMethod<Context> | undefined, context: Context) => Promise<void> | undefined;
  /** Throws to refuse a request after its parameters are read. */
  readonly authorize?: (method: AnyMethod<Context>, params: readonly unknown[], context: Context) => void;
  /** Called after each request. */
  readonly onCall?: (call: DispatchedCall, context: Context) => void;
  /** Returns a signal that aborts when the client disconnects. The rest of a batch is not executed then. */
  readonly signal?: (context: Context) => AbortSignal;
  /** Event loop time that requests share. Default: a scheduler of this dispatcher. */
  readonly scheduler?: EventLoopScheduler;
  /** Returns a sentence that follows geth's message for an unknown method. */
  readonly unknownMethod?: (name: string) => string | undefined;
  /** Creates references for internal errors. */
  readonly reference?: () => string;
}
