// Code of a worker thread: runs one job after the other, until the pool ends the thread.
import { parentPort } from 'node:worker_threads';
import { type CodecJob, outcomeOf } from './codec-job.ts';

parentPort?.on('message', (job: CodecJob) => {
  const outcome = outcomeOf(job);
  if (outcome.kind !== 'bytes') return parentPort?.postMessage(outcome);
  // A copy with its own memory, so that it can be transferred.
  const bytes = Uint8Array.from(outcome.bytes);
  parentPort?.postMessage({ kind: 'bytes', bytes }, [bytes.buffer]);
});
