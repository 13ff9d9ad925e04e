// Worker thread for tests of ThreadPool. It speaks worker-protocol.ts and loads no engine, so that it starts in milliseconds.
// `call.data` of a job selects its behavior: 0x00 returns, 0x01 waits for its deadline or a stop request, 0x02 ends the thread,
// 0x03 ignores both.
import { parentPort, workerData } from 'node:worker_threads';

const pollMs = 2;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

parentPort.on('message', ({ kind, number, job, timeoutMs }) => {
  if (kind === 'end') {
    parentPort.close();
    return;
  }
  if (job.call.data === '0x02') process.exit(1);
  if (job.call.data === '0x03') Atomics.wait(sleeper, 0, 0);
  if (job.call.data === '0x01') {
    const endsAt = performance.now() + timeoutMs;
    while (performance.now() < endsAt && Atomics.load(workerData.stopped, 0) !== number)
      Atomics.wait(sleeper, 0, 0, pollMs);
    parentPort.postMessage({ kind: 'error', error: { code: 'EXECUTION_TIMEOUT', message: 'execution aborted' } });
    return;
  }
  parentPort.postMessage({ kind: 'result', result: { kind: 'success', output: '0x', gasUsed: 0n } });
});
parentPort.postMessage({ kind: 'ready' });
