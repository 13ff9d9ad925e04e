// Entry of a worker thread. It lowers its priority before it loads modules, since threads start while others serve requests.
import { yieldToOthers } from './yield-to-others.ts';

yieldToOthers();
const { runWorker } = await import('./run-worker.ts');
await runWorker();
