import { Worker } from 'node:worker_threads';
import { executionErrors } from '../errors.ts';
import type { ExecutionJob, ResultOf } from './execution-job.ts';
import { ReadsMissing } from './resumable-pool.ts';
import { errorFromPlain, type FromWorker, type ThreadData, type ToWorker, type WorkerData } from './worker-protocol.ts';

export interface CallWorkerOptions {
  readonly workerUrl: URL;
  readonly workerData: WorkerData;
  readonly memoryMibMax: number;
  readonly startTimeoutMs: number;
  /** No job is executed before this worker is ready. */
  readonly isFirst: boolean;
}

export interface CallWorkerEvents {
  /** The worker is ready for its first job. */
  onReady(): void;
  /** @param reads those of a resumed job */
  onResult(result: ResultOf<ExecutionJob>, reads?: unknown): void;
  /** The job failed, or ended with {@link ReadsMissing}; the worker continues to run. */
  onError(error: Error): void;
  /** The worker ended without a request to end. */
  onLost(error: Error): void;
}

/** Young heap of a worker. With V8's default of 48 MiB, garbage of short calls takes more memory than everything else in a worker. */
const youngMibMax = 6;
const endTimeoutMs = 1_000;
/** Terminating a thread while it opens a store crashes the process. A starting thread handles the message `end` once it has started. */
const startingEndTimeoutMs = 5_000;

/** A worker thread that executes one job at a time. */
export class CallWorker {
  readonly #worker: Worker;
  readonly #startTimer: NodeJS.Timeout;
  /** Shared with the thread: number of the job that must stop; written by {@link stop}. */
  readonly #stopped = new Int32Array(new SharedArrayBuffer(4));
  #jobs = 0;
  #isGone = false;
  #isReady = false;

  constructor(options: CallWorkerOptions, events: CallWorkerEvents) {
    const { workerUrl, workerData, memoryMibMax, startTimeoutMs, isFirst } = options;
    const worker = new Worker(workerUrl, {
      workerData: { ...workerData, stopped: this.#stopped, isFirst } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: memoryMibMax, maxYoungGenerationSizeMb: youngMibMax },
      // Flags of the parent process, such as import conditions or those of a test runner, do not apply to the worker.
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
          return events.onResult(message.result, message.reads);
        case 'missing':
          worker.unref();
          return events.onError(new ReadsMissing(message.missing));
        case 'error':
          worker.unref();
          return events.onError(errorFromPlain(message.error));
      }
    });
    worker.on('error', (error) => {
      const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      lose(
        isMemory ? executionErrors.memoryExceeded(memoryMibMax) : executionErrors.failed('its worker failed', error),
      );
    });
    worker.on('exit', (code) => lose(executionErrors.failed(`its worker ended with status ${code}`)));
  }

  /** Sends a job to the thread and keeps the process alive until it ends. */
  run(job: ExecutionJob, limits: { readonly timeoutMs: number; readonly isResumed: boolean }): void {
    this.#worker.ref();
    this.#jobs++;
    this.#post({ kind: 'job', number: this.#jobs, job, ...limits });
  }

  /** Requests that the running job stops. It does so at the next deadline check of its engine. */
  stop(): void {
    Atomics.store(this.#stopped, 0, this.#jobs);
  }

  /** Terminates the thread immediately. */
  async kill(): Promise<void> {
    this.#isGone = true;
    clearTimeout(this.#startTimer);
    await this.#worker.terminate();
  }

  /** Lets an idle worker close its chains and exit. Terminates it after 1 s, or after 5 s if it is still starting. */
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
