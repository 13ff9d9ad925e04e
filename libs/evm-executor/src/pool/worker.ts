// Entry of a worker thread. A thread that starts while others serve requests lowers its priority before it loads modules. The first
// ones do so when they are ready: beside other programs that use all cores, their start would take longer than its limit.
import { workerData } from 'node:worker_threads';
import { lowerThreadPriority } from './lower-thread-priority.ts';
import type { ThreadData } from './worker-protocol.ts';

const { isFirst }: ThreadData = workerData;
if (!isFirst) lowerThreadPriority();
const { runWorker } = await import('./run-worker.ts');
await runWorker();
