import { Worker } from 'node:worker_threads';
import { executionErrors } from '../errors.ts';
import type { ExecutionJob, ResultOf } from './execution-job.ts';
import { errorFromPlain, type FromWorker, type ThreadData, type ToWorker, type WorkerData } from './worker-protocol.ts';

export interface CallWorkerOptions {
  readonly workerUrl: URL;
  readonly workerData: WorkerData;
  readonly memoryMibMax: number;
  readonly startTimeoutMs: number;
}

export interface CallWorkerEvents {
  /** It can take its first call. */
  onReady(): void;
  onResult(result: ResultOf<ExecutionJob>): void;
  /** The call failed, the worker lives. */
  onError(error: Error): void;
  /** The worker is gone, by its own fault. */
  onLost(error: Error): void;
}

const endTimeoutMs = 1_000;
/** A thread that is ended while it opens a store takes the process with it; one that starts reads the message when it has. */
const startingEndTimeoutMs = 5_000;

/** A thread that runs one call at a time. */
export class CallWorker {
  readonly #worker: Worker;
  readonly #startTimer: NodeJS.Timeout;
  /** Written by {@link stop}, read by the thread: the number of the last job that is to end. */
  readonly #stopped = new Int32Array(new SharedArrayBuffer(4));
  #jobs = 0;
  #isGone = false;
  #isReady = false;

  constructor({ workerUrl, workerData, memoryMibMax, startTimeoutMs }: CallWorkerOptions, events: CallWorkerEvents) {
    const worker = new Worker(workerUrl, {
      workerData: { ...workerData, stopped: this.#stopped } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: memoryMibMax },
      // Whatever an importer of source conditions or a test runner set for its own process is not for this code.
      execArgv: [],
    });
    this.#worker = worker;
    const lose = (error: Error) => {
      if (this.#isGone) return;
      void this.kill();
      events.onLost(error);
    };
    this.#startTimer = setTimeout(
      () => lose(executionErrors.failed(`a worker did not start within ${startTimeoutMs} ms`)),
      startTimeoutMs,
    );
    worker.on('message', (message: FromWorker) => {
      if (this.#isGone) return;
      switch (message.kind) {
        case 'ready':
          clearTimeout(this.#startTimer);
          this.#isReady = true;
          worker.unref();
          return events.onReady();
        case 'unfit':
          return lose(errorFromPlain(message.error));
        case 'result':
          worker.unref();
          return events.onResult(message.result);
        case 'error':
          worker.unref();
          return events.onError(errorFromPlain(message.error));
      }
    });
    worker.on('error', (error) => {
      const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      lose(isMemory ? executionErrors.memoryExceeded(memoryMibMax) : executionErrors.failed('its worker broke', error));
    });
    worker.on('exit', (code) => lose(executionErrors.failed(`its worker ended with status ${code}`)));
  }

  /** Hands it a call. The process stays alive for that long. */
  run(job: ExecutionJob, timeoutMs: number): void {
    this.#worker.ref();
    this.#jobs++;
    this.#post({ kind: 'job', number: this.#jobs, job, timeoutMs });
  }

  /** Asks the call that runs to end. It does at the next look of its engine at the clock. */
  stop(): void {
    Atomics.store(this.#stopped, 0, this.#jobs);
  }

  /** Ends it whatever it does. */
  async kill(): Promise<void> {
    this.#isGone = true;
    clearTimeout(this.#startTimer);
    await this.#worker.terminate();
  }

  /** Lets a worker that runs nothing close its chains and end: for a second, or for five where it is still starting. */
  async end(): Promise<void> {
    const timeoutMs = this.#isReady ? endTimeoutMs : startingEndTimeoutMs;
    this.#isGone = true;
    clearTimeout(this.#startTimer);
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.ref();
    this.#post({ kind: 'end' });
    const timer = setTimeout(() => void this.#worker.terminate(), timeoutMs);
    await ended;
    clearTimeout(timer);
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }
}
