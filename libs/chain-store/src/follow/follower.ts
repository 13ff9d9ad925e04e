import { Worker } from 'node:worker_threads';
import type { BlockRunner } from '@cairn/block-model';
import type { FollowEvent } from './follow-chain.ts';

/** Events of a follower in its own thread. Errors are text. */
export type FollowerEvent =
  | Extract<FollowEvent, { kind: 'progress' }>
  | (Omit<Extract<FollowEvent, { kind: 'failed' }>, 'error'> & { readonly error: string });

/** Start parameters of the thread. */
export interface FollowerWorkerData {
  readonly directory: string;
  readonly url: string;
  readonly pollMs: number;
  readonly runnerModule: string;
  readonly engine: string | undefined;
}

/** A module that creates a block runner for a named engine. */
export interface BlockRunnerModule {
  createBlockRunner(engine?: string): BlockRunner;
}

export interface FollowerOptions {
  /** Directory of a chain whose genesis is imported. */
  readonly directory: string;
  /** URL of an execution node: http, https, ws or wss. */
  readonly url: string;
  readonly onEvent?: (event: FollowerEvent) => void;
  /** Interval of requests for the head of the node. Default 2,000 ms. */
  readonly pollMs?: number;
  /** URL of a {@link BlockRunnerModule} whose runner executes blocks in the thread. */
  readonly runnerModule: string;
  /** Engine of the runner. Default: the default of the module. */
  readonly engine?: string | undefined;
  /** URL of the thread's module. Default: the module of this package. Tests that run from sources pass the built module. */
  readonly workerUrl?: URL;
}

/** Keeps a chain at the head of another node. */
export interface Follower {
  /** Stops the follower. Executed blocks are on disk. */
  stop(): Promise<void>;
}

const restartMsMax = 60_000;
/** Time for the current block to finish on stop; the thread is terminated afterwards. */
const stopMsMax = 10_000;

/** Starts a follower in a worker thread, and restarts the thread if it fails. */
export function startFollower({
  directory,
  url,
  onEvent,
  pollMs = 2_000,
  runnerModule,
  engine,
  workerUrl,
}: FollowerOptions): Follower {
  let isStopping = false;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let worker: Worker | undefined;
  let ended: Promise<void> = Promise.resolve();

  const start = () => {
    const data: FollowerWorkerData = { directory, url, pollMs, runnerModule, engine };
    const thread = new Worker(workerUrl ?? new URL('./follow-worker.js', import.meta.url), {
      workerData: data,
      execArgv: [],
    });
    worker = thread;
    let reason = 'its thread ended';
    thread.on('message', (event: FollowerEvent) => {
      if (event.kind === 'progress') failures = 0;
      onEvent?.(event);
    });
    thread.on('error', (error) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    ended = new Promise((resolve) => {
      thread.once('exit', () => {
        worker = undefined;
        resolve();
        if (isStopping) return;
        failures++;
        const retryInMs = Math.min(restartMsMax, 1_000 * 2 ** (failures - 1));
        onEvent?.({ kind: 'failed', error: reason, failures, retryInMs });
        timer = setTimeout(start, retryInMs);
        timer.unref();
      });
    });
  };
  start();
  return {
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      const thread = worker;
      if (thread === undefined) return;
      thread.postMessage('stop');
      const last = setTimeout(() => void thread.terminate(), stopMsMax);
      await ended;
      clearTimeout(last);
    },
  };
}
