import type { CallPoolExecuteOptions, CallUse } from './call-pool.ts';
import type { ExecutionJob, ResultOf } from './execution-job.ts';
import type { ResumeOptions } from './resumable-pool.ts';

/** A job that is queued or running. */
export interface PendingJob {
  readonly job: ExecutionJob;
  readonly lane: string;
  readonly timeoutMs: number;
  readonly resume: ResumeOptions['resume'];
  isQueued: boolean;
  /** The caller has aborted the job and has its error. */
  isAborted: boolean;
  readonly onUsed: CallPoolExecuteOptions['onUsed'];
  resolve(result: ResultOf<ExecutionJob>): void;
  reject(error: Error): void;
}

/** Use of a job that never ran in a worker. */
export const noUse: CallUse = { workerMs: 0, isAnswered: false };

/** Calls `cleanUp` when a job is resolved or rejected. */
export function afterSettling(pending: PendingJob, cleanUp: () => void): void {
  const { resolve, reject } = pending;
  pending.resolve = (result) => {
    cleanUp();
    resolve(result);
  };
  pending.reject = (error) => {
    cleanUp();
    reject(error);
  };
}
