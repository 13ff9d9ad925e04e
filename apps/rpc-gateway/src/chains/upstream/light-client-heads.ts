import { Worker } from 'node:worker_threads';
import type { HeadFeed, NamedHeads } from '@cairn/proven-chain';
import type { LightClientWorkerData, LightClientWorkerEvent } from './light-client-protocol.ts';

/** Time in milliseconds before a crashed thread is replaced. */
const restartMs = 5_000;

export interface LightClientHeadsOptions extends LightClientWorkerData {
  readonly onEvent: (event: Exclude<LightClientWorkerEvent, { readonly kind: 'heads' }>) => void;
  /** Default: the worker beside this module. */
  readonly workerUrl?: URL;
}

/** Heads of a light client. It runs in a thread of its own: a signature takes 25 ms, a new committee seconds. */
export class LightClientHeads implements HeadFeed {
  readonly #options: LightClientHeadsOptions;
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: LightClientHeadsOptions) {
    this.#options = options;
  }

  start(onHeads: (heads: NamedHeads) => void): void {
    const { onEvent, workerUrl = new URL('./light-client-worker.js', import.meta.url), ...workerData } = this.#options;
    const worker = new Worker(workerUrl, { workerData: workerData satisfies LightClientWorkerData, execArgv: [] });
    this.#worker = worker;
    worker.unref();
    worker.on('message', (event: LightClientWorkerEvent) => {
      if (event.kind === 'heads') onHeads(event.heads);
      else onEvent(event);
    });
    worker.on('error', (error) => onEvent({ kind: 'failed', reason: error.message }));
    worker.once('exit', () => {
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => this.start(onHeads), restartMs).unref();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#worker?.terminate();
  }
}
