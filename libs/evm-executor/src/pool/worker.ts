// The code of a worker thread. One call at a time: while it runs, nothing else in this thread does, and only the end
// of the thread ends it.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type CallServer, openCallServer } from './serve-calls.ts';
import { type FromWorker, plainError, type ToWorker } from './worker-protocol.ts';
import { yieldToOthers } from './yield-to-others.ts';

if (parentPort === null) throw new Error('This module is the code of a worker thread; see createCallPool.');
yieldToOthers();
await run(parentPort);

async function run(port: MessagePort): Promise<void> {
  const post = (message: FromWorker) => port.postMessage(message);
  let server: CallServer;
  try {
    server = await openCallServer(workerData);
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
      post({ kind: 'result', result: await server.serve(message.job) });
    } catch (error) {
      post({ kind: 'error', error: plainError(error) });
    }
  });
  post({ kind: 'ready' });
}
