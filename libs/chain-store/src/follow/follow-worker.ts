// Entry of a worker thread that executes blocks, so that the thread that serves requests stays responsive.
import { parentPort, workerData } from 'node:worker_threads';
import { errorText } from '@cairn/errors';
import { openChainStore } from '../chain-store.ts';
import { type ConnectedNode, createExecutionNode } from './execution-node.ts';
import { followChain } from './follow-chain.ts';
import type { BlockRunnerModule, FollowerEvent, FollowerWorkerData } from './follower.ts';

if (parentPort === null) throw new Error('This module runs in a worker thread only. Call startFollower instead.');
const port = parentPort;
const { directory, url, pollMs, runnerModule, engine } = workerData as FollowerWorkerData;
const stop = new AbortController();
port.once('message', () => stop.abort(new Error('stopped')));

async function createRunner(address: string) {
  const { createBlockRunner } = (await import(address)) as BlockRunnerModule;
  return createBlockRunner(engine);
}

const store = await openChainStore({ directory });
let node: ConnectedNode | undefined;
const tell = (event: FollowerEvent) => port.postMessage(event);
try {
  const { spec } = store;
  if (spec === undefined)
    throw new Error(`The store in ${directory} has no genesis. Import it with importChain first.`);
  node = createExecutionNode({ url, chainId: store.chainId });
  await followChain({
    store,
    spec,
    node,
    signal: stop.signal,
    runner: await createRunner(runnerModule),
    pollMs,
    onEvent: (event) => tell(event.kind === 'failed' ? { ...event, error: errorText(event.error) } : event),
  });
} catch (error) {
  if (!stop.signal.aborted) throw error;
} finally {
  await node?.close();
  await store.close();
  port.close();
}
