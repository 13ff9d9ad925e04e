import { parentPort, workerData } from 'node:worker_threads';
import { type CallServer, openCallServer } from './call-server.ts';
import { type FromWorker, plainError, type ThreadData, type ToWorker } from './worker-protocol.ts';

/** Serves one call at a time: while it runs, nothing else in this thread does, and only its deadline or the end of the thread ends it. */
export async function runWorker(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('This is the code of a worker thread; see createCallPool.');
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
      const { number, job, timeoutMs } = message;
      const isStopped = () => Atomics.load(data.stopped, 0) === number;
      const deadline = { at: performance.now() + timeoutMs, timeoutMs, isStopped };
      post({ kind: 'result', result: await server.serve(job, deadline) });
    } catch (error) {
      post({ kind: 'error', error: plainError(error) });
    }
  });
  post({ kind: 'ready' });
}
