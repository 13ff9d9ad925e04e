// The code of a worker thread. It steps back before it loads what it needs: threads are replaced while others serve.
import { yieldToOthers } from './yield-to-others.ts';

yieldToOthers();
const { runWorker } = await import('./run-worker.ts');
await runWorker();
