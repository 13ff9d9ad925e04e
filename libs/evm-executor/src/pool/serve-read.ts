import type { CallSource } from './call-source.ts';
import type { ExecutionJob, ReadJob, ResultOf } from './execution-job.ts';

export function isRead(job: ExecutionJob): job is ReadJob {
  return job.kind === 'storageRange' || job.kind === 'modifiedAccounts';
}

/** Reads from a chain. A read cannot be interrupted: beyond its time limit, it ends with its worker. */
export async function serveRead(job: ReadJob, source: CallSource): Promise<ResultOf<ReadJob>> {
  // A store may keep one read snapshot per turn of the event loop: a recent block appears in the next turn.
  if (source.header(job.blockHash) === undefined) await new Promise((resolve) => setImmediate(resolve));
  const gasUsed = 0n;
  switch (job.kind) {
    case 'storageRange':
      return { kind: 'read', value: source.storageRange?.(job.blockHash, job.address, job), gasUsed };
    case 'modifiedAccounts':
      return { kind: 'read', value: source.modifiedAccounts?.(job.since, job.blockHash), gasUsed };
  }
}
