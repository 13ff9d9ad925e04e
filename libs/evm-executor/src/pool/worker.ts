// Entry of a worker thread. It lowers its priority before it loads modules, since threads start while others serve requests.
import { lowerThreadPriority } from './lower-thread-priority.ts';

lowerThreadPriority();
const { runWorker } = await import('./run-worker.ts');
await runWorker();
