import { parentPort, workerData } from 'node:worker_threads';
import { type CallServer, openCallServer } from './call-server.ts';
import { lowerThreadPriority } from './lower-thread-priority.ts';
import { ReadsMissing } from './resumable-pool.ts';
import { type FromWorker, plainError, type ThreadData, type ToWorker } from './worker-protocol.ts';

/** Executes jobs one at a time. A job blocks the thread until it ends, reaches its deadline, or the thread is terminated. */
export async function runWorker(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('This module runs in a worker thread only; use createCallPool.');
  const post = (message: FromWorker) => port.postMessage(message);
  const data: ThreadData = workerData;
  let server: CallServer;
  try {
    server = await openCallServer(data);
  } catch (error) {
    post({ kind: 'unfit', error: plainError(error) });
    return;
  }
  port.on('message', async (message: ToWorker) => {
    if (message.kind === 'end') {
      await server.close();
      port.close();
      return;
    }
    try {
      const { number, job, timeoutMs, isResumed } = message;
      const isStopped = () => Atomics.load(data.stopped, 0) === number;
      const deadline = { at: performance.now() + timeoutMs, timeoutMs, isStopped };
      if (isResumed) post({ kind: 'result', ...(await server.resume(job, deadline)) });
      else post({ kind: 'result', result: await server.serve(job, deadline) });
    } catch (error) {
      if (error instanceof ReadsMissing) post({ kind: 'missing', missing: error.missing });
      else post({ kind: 'error', error: plainError(error) });
    }
  });
  lowerThreadPriority();
  post({ kind: 'ready' });
}
