import type { Awaitable } from '@cairn/evm';
import type { ExecutionJob, LightJob, ResultOf } from './execution-job.ts';

export interface CallPoolExecuteOptions {
  /** Account of the caller. Lanes share worker time fairly, however many jobs each of them has queued. */
  readonly lane?: string;
  /** Aborting removes a queued job, and stops a running one. */
  readonly signal?: AbortSignal;
  /** Overrides the limit of the pool. Milliseconds from the start of the execution. */
  readonly timeoutMs?: number;
  /** Called once, when the job no longer occupies a worker. That may be after its caller has aborted it. */
  readonly onUsed?: (use: CallUse) => void;
}

/** Worker time that a job has used. */
export interface CallUse {
  /** Milliseconds for which a worker was occupied; 0 if the job did not run in one. */
  readonly workerMs: number;
  /** True if the caller got a result rather than an error. */
  readonly isAnswered: boolean;
}

/** Counters of a pool. */
export interface CallPoolStats {
  readonly running: number;
  readonly queued: number;
  readonly idle: number;
  /** Workers that are not ready for their first job. */
  readonly starting: number;
  /** Workers that were ended by a limit, a crash or an abort since the pool was created. */
  readonly replaced: number;
}

/** Executes jobs in worker threads under limits. An abstract class, so that it is its own injection token. */
export abstract class CallPool {
  /**
   * @throws EXECUTION_TIMEOUT, EXECUTION_MEMORY_EXCEEDED, EXECUTION_QUEUE_FULL, EXECUTION_QUEUE_TIMEOUT,
   *   EXECUTION_ABORTED, EXECUTION_FAILED, EXECUTION_CLOSED, STATE_UNAVAILABLE, CONTRACT_NOT_ALLOWED, and the errors of the job itself
   */
  abstract execute<Job extends ExecutionJob>(job: Job, options?: CallPoolExecuteOptions): Promise<ResultOf<Job>>;
  /**
   * Executes a light call or trace without a promise, if this thread can. Absent in pools that pass all jobs to workers.
   * @returns `undefined` if the job has to be passed to `execute`
   * @throws as `execute`, also without a promise
   */
  executeNow?<Job extends LightJob>(job: Job, options?: CallPoolExecuteOptions): Awaitable<ResultOf<Job>> | undefined;
  abstract stats(): CallPoolStats;
  /** Refuses new jobs, waits for queued and running ones, and ends the workers. */
  abstract close(): Promise<void>;
}
