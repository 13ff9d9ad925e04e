import type { Awaitable } from '@cairn/evm';
import type { CallPool, CallPoolExecuteOptions, CallPoolStats } from './call-pool.ts';
import type { ExecutionJob, LightJob, ResultOf } from './execution-job.ts';

/** Thrown by a run over a source with missing reads. Its result is discarded. */
export class ReadsMissing extends Error {
  /** See {@link SourceAttempt}. */
  readonly missing: unknown;
  /** Worker time of the run, in place of its {@link CallUse}: the job continues. */
  workerMs = 0;

  constructor(missing: unknown) {
    super('The run needs reads that have to be fetched.');
    this.missing = missing;
  }
}

export interface ResumeOptions extends CallPoolExecuteOptions {
  /** The job ran before and continues after a fetch: it is first in its lane, and reports the reads of a valid run. */
  readonly resume?: { onReads(reads: unknown): void } | undefined;
}

/** Pool whose jobs may end with {@link ReadsMissing}. */
export interface ResumablePool {
  execute<Job extends ExecutionJob>(job: Job, options?: ResumeOptions): Promise<ResultOf<Job>>;
  executeNow?<Job extends LightJob>(job: Job, options?: CallPoolExecuteOptions): Awaitable<ResultOf<Job>> | undefined;
  stats(): CallPoolStats;
  close: CallPool['close'];
}
