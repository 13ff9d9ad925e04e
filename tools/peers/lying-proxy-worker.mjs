import { parentPort, workerData } from 'node:worker_threads';
import { startLyingProxy } from './lying-proxy.mjs';

const { url } = await startLyingProxy(workerData);
parentPort.postMessage(url);
