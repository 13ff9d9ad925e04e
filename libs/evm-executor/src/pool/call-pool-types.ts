import type { ChainReader, ChainSpec, Hex } from '@cairn/block-model';
import type { BlockOverrides, CallRequest, StateOverrides } from '../call-request.ts';
import type { CallResult } from '../call-result.ts';

/**
 * What a worker reads a chain through: the part of a {@link ChainReader} that calls need. All of it is synchronous.
 * Without `hashByNumber` and `isCanonical`, BLOCKHASH walks the parents of the header.
 */
export type CallSource = Pick<ChainReader, 'header' | 'stateAt'> &
  Partial<Pick<ChainReader, 'hashByNumber' | 'isCanonical'>> & {
    /** Called when the worker ends by itself; a killed worker has no last words. */
    close?(): void | Promise<void>;
  };

/** Where a worker gets a {@link CallSource} from: it imports the module and calls the export with the options. */
export interface CallSourceModule {
  /** A URL that `import()` takes, such as `import.meta.resolve('@cairn/chain-store')`. */
  readonly moduleUrl: string;
  /** A function `(options) => CallSource | Promise<CallSource>`. */
  readonly exportName: string;
  /** Anything that structured clone takes. */
  readonly options?: unknown;
}

/** A chain that calls can run on. */
export interface CallChain {
  readonly spec: ChainSpec;
  readonly source: CallSourceModule;
}

/** One call for a worker. */
export interface CallJob {
  /** The key of the chain in the options of the pool. */
  readonly chain: string;
  /** The block whose state and environment the call sees. */
  readonly blockHash: Hex;
  readonly call: CallRequest;
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
}

export interface CallPoolExecuteOptions {
  /** Whose call it is, such as the id of an API key: lanes take turns, however many calls each has waiting. */
  readonly lane?: string;
  /** Aborting takes the call out of the queue, or ends its worker if it runs on. */
  readonly signal?: AbortSignal;
  /** For this call, instead of that of the pool. Milliseconds from the start of its execution. */
  readonly timeoutMs?: number;
}

/** What the pool is doing. */
export interface CallPoolStats {
  readonly running: number;
  readonly queued: number;
  readonly idle: number;
  /** Workers ended by a limit, a crash or an abort since the start. */
  readonly replaced: number;
}

/** Runs calls in worker threads under limits. */
export interface CallPool {
  /**
   * @throws EXECUTION_TIMEOUT, EXECUTION_MEMORY_EXCEEDED, EXECUTION_QUEUE_FULL, EXECUTION_QUEUE_TIMEOUT,
   *   EXECUTION_ABORTED, EXECUTION_FAILED, EXECUTION_CLOSED, STATE_UNAVAILABLE, and what {@link executeCall} throws
   */
  execute(job: CallJob, options?: CallPoolExecuteOptions): Promise<CallResult>;
  stats(): CallPoolStats;
  /** Refuses new calls, lets those that are in finish, and ends the workers. */
  close(): Promise<void>;
}
