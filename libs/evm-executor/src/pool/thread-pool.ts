// Every job of a worker passes here; call-pool.bench.ts measures it.
import { availableParallelism } from 'node:os';
import { executionErrors } from '../errors.ts';
import type { CallPoolStats } from './call-pool.ts';
import { type CallPoolOptions, callPoolLimits, workerDataOf } from './call-pool-options.ts';
import { CallWorker, type CallWorkerOptions } from './call-worker.ts';
import type { ExecutionJob, ResultOf } from './execution-job.ts';
import { FairQueue } from './fair-queue.ts';
import { afterSettling, noUse, type PendingJob } from './pending-job.ts';
import { RecentWorkerTime } from './recent-worker-time.ts';
import { ReadsMissing, type ResumablePool, type ResumeOptions } from './resumable-pool.ts';
import { SharedAbortListeners } from './shared-abort-listeners.ts';

interface PoolThread {
  readonly worker: CallWorker;
  state: 'starting' | 'idle' | 'busy';
  pending?: PendingJob;
  killTimer?: NodeJS.Timeout;
  /** Start of the job, by performance.now(). */
  startedAt: number;
}

/** How a run ended. */
interface Ending {
  readonly isAnswered?: boolean;
  /** Reads of a resumed job. */
  readonly reads?: unknown;
  /** The job continues after a fetch. */
  readonly missing?: ReadsMissing | undefined;
}

/** Pool of worker threads with a queue that shares worker time fairly between lanes. */
export class ThreadPool implements ResumablePool {
  readonly #threads = new Set<PoolThread>();
  readonly #queue = new FairQueue<PendingJob>();
  readonly #recentTime = new RecentWorkerTime();
  readonly #abortListeners = new SharedAbortListeners();
  readonly #workers: number;
  readonly #queueMax: number;
  readonly #queueTimeoutMs: number;
  readonly #timeoutMs: number;
  readonly #workerOptions: Omit<CallWorkerOptions, 'isFirst'>;
  #running = 0;
  #idle = 0;
  #replaced = 0;
  #failedStarts = 0;
  #isClosing = false;
  #isStarted = false;
  /** Moving average of the time of a job, for retryAfterMs. */
  #jobMs = 10;
  #onStarted: { resolve(): void; reject(error: Error): void } | undefined;
  #onDrained: (() => void) | undefined;

  constructor(options: CallPoolOptions) {
    this.#workers = options.workers ?? availableParallelism();
    this.#queueMax = options.queueMax ?? callPoolLimits.queueMax;
    this.#queueTimeoutMs = options.queueTimeoutMs ?? callPoolLimits.queueTimeoutMs;
    this.#timeoutMs = options.timeoutMs ?? callPoolLimits.timeoutMs;
    this.#workerOptions = {
      workerUrl: options.workerUrl ?? new URL('./worker.js', import.meta.url),
      workerData: workerDataOf(options),
      memoryMibMax: options.memoryMibMax ?? callPoolLimits.memoryMibMax,
      startTimeoutMs: callPoolLimits.startTimeoutMs,
    };
    for (let count = 0; count < this.#workers; count++) this.#start();
  }

  /** Resolves when as many workers are ready as jobs may run. */
  started(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onStarted = { resolve, reject };
    });
  }

  execute<Job extends ExecutionJob>(job: Job, options: ResumeOptions = {}): Promise<ResultOf<Job>> {
    const { lane = '', signal, timeoutMs = this.#timeoutMs, onUsed, resume } = options;
    if (this.#isClosing || signal?.aborted) {
      onUsed?.(noUse);
      return Promise.reject(this.#isClosing ? executionErrors.closed() : executionErrors.aborted(signal?.reason));
    }
    return new Promise((resolve, reject) => {
      const pending: PendingJob = {
        job,
        lane,
        timeoutMs,
        onUsed,
        resume,
        isQueued: true,
        isAborted: false,
        // A worker returns the result type of the job's kind.
        resolve: resolve as PendingJob['resolve'],
        reject,
      };
      if (signal !== undefined) this.#listenTo(signal, pending);
      this.#enqueue(pending);
    });
  }

  stats(): CallPoolStats {
    const starting = this.#threads.size - this.#idle - this.#running;
    return {
      running: this.#running,
      queued: this.#queue.length,
      idle: this.#idle,
      starting,
      replaced: this.#replaced,
    };
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#running > 0 || this.#queue.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
    }
    const threads = [...this.#threads];
    this.#threads.clear();
    await Promise.all(threads.map(({ worker }) => worker.end()));
  }

  #start(): void {
    const options: CallWorkerOptions = { ...this.#workerOptions, isFirst: !this.#isStarted };
    const thread: PoolThread = {
      state: 'starting',
      startedAt: 0,
      worker: new CallWorker(options, {
        onReady: () => this.#onReady(thread),
        onResult: (result, reads) =>
          this.#settle(thread, (pending) => pending.resolve(result), { isAnswered: true, reads }),
        onError: (error) =>
          this.#settle(thread, (pending) => pending.reject(error), {
            missing: error instanceof ReadsMissing ? error : undefined,
          }),
        onLost: (error) => this.#onLost(thread, error),
      }),
    };
    this.#threads.add(thread);
  }

  #onReady(thread: PoolThread): void {
    thread.state = 'idle';
    this.#idle++;
    this.#failedStarts = 0;
    if (this.#idle + this.#running >= this.#workers) {
      this.#isStarted = true;
      this.#onStarted?.resolve();
      this.#onStarted = undefined;
      this.#startSpare();
    }
    this.#dispatch();
  }

  /** Starts a spare thread. One at a time and after the threads that jobs wait for, since a start uses a whole core. */
  #startSpare(): void {
    const isStarting = this.#threads.size > this.#idle + this.#running;
    if (!this.#isClosing && !isStarting && this.#threads.size < this.#threadsMax) this.#start();
  }

  /**
   * Threads beyond the number of concurrent jobs: one reserved for light lanes and, where a worker had to be killed, one that
   * replaces the next immediately. Before, it would only take memory: the engines check the clock themselves.
   */
  get #threadsMax(): number {
    return this.#workers + (this.#replaced > 0 ? 2 : 1);
  }

  #onLost(thread: PoolThread, error: Error): void {
    if (thread.state !== 'starting') {
      this.#replace(thread, error);
      return;
    }
    this.#threads.delete(thread);
    this.#failedStarts++;
    this.#onStarted?.reject(error);
    this.#onStarted = undefined;
    if (this.#isClosing) return;
    // The cause of a failed start may be temporary. Exponential delay keeps retries from using a core.
    const delayMs = Math.min(100 * 2 ** this.#failedStarts, 10_000);
    setTimeout(() => {
      if (!this.#isClosing && this.#threads.size < this.#threadsMax) this.#start();
    }, delayMs).unref();
  }

  #enqueue(pending: PendingJob): void {
    if (pending.resume === undefined) this.#queue.push(pending.lane, pending);
    else this.#queue.unshift(pending.lane, pending);
    this.#dispatch();
    if (!pending.isQueued) return;
    // A resumed job was admitted before.
    if (this.#queue.length > this.#queueMax && pending.resume === undefined) {
      const evicted = this.#queue.evict(pending.lane);
      if (evicted !== undefined) this.#refuse(evicted, executionErrors.queueFull(this.#queueMax, this.#retryAfterMs()));
      if (evicted === pending) return;
    }
    const timer = setTimeout(() => {
      if (!this.#queue.remove(pending.lane, pending)) return;
      this.#refuse(pending, executionErrors.queueTimeout(this.#queueTimeoutMs, this.#retryAfterMs()));
    }, this.#queueTimeoutMs);
    afterSettling(pending, () => clearTimeout(timer));
  }

  /** Rejects a job that left the queue without running. */
  #refuse(pending: PendingJob, error: Error): void {
    pending.isQueued = false;
    pending.onUsed?.(noUse);
    pending.reject(error);
    this.#notifyIfDrained();
  }

  #listenTo(signal: AbortSignal, pending: PendingJob): void {
    const stopListening = this.#abortListeners.add(signal, () => this.#abort(pending, signal.reason));
    afterSettling(pending, stopListening);
  }

  #abort(pending: PendingJob, cause: unknown): void {
    const error = executionErrors.aborted(cause);
    if (this.#queue.remove(pending.lane, pending)) {
      this.#refuse(pending, error);
      return;
    }
    pending.isAborted = true;
    pending.reject(error);
    const thread = [...this.#threads].find((candidate) => candidate.pending === pending);
    if (thread === undefined) return;
    thread.worker.stop();
    clearTimeout(thread.killTimer);
    thread.killTimer = setTimeout(() => this.#replace(thread, error), callPoolLimits.abortGraceMs);
  }

  /**
   * Reports whether the next worker is reserved for light lanes without a running job: the last idle worker while others run or
   * start, and the one beyond `workers`. Such a lane then waits neither for a job of several seconds nor for the start of a thread.
   */
  #isReserved(): boolean {
    return this.#running >= this.#workers || (this.#idle === 1 && this.#threads.size > 1);
  }

  #dispatch(): void {
    while (this.#idle > 0 && this.#running <= this.#workers) {
      const at = performance.now();
      const isLightAndIdle = (lane: string, running: number) => running === 0 && this.#recentTime.isLight(lane, at);
      const pending = this.#isReserved() ? this.#queue.shift(isLightAndIdle) : this.#queue.shift();
      if (pending === undefined) break;
      pending.isQueued = false;
      this.#run(this.#idleThread(), pending);
    }
    this.#notifyIfDrained();
  }

  #idleThread(): PoolThread {
    for (const thread of this.#threads) if (thread.state === 'idle') return thread;
    throw new Error('There is no idle worker.');
  }

  #run(thread: PoolThread, pending: PendingJob): void {
    thread.state = 'busy';
    thread.pending = pending;
    thread.startedAt = performance.now();
    this.#idle--;
    this.#running++;
    const { job, timeoutMs, resume } = pending;
    // The engine ends the job at its timeout and the worker survives. Code that does not check the clock ends with its worker.
    const killAfterMs = timeoutMs + callPoolLimits.deadlineGraceMs;
    thread.killTimer = setTimeout(() => this.#replace(thread, executionErrors.timeout(timeoutMs)), killAfterMs);
    try {
      thread.worker.run(job, { timeoutMs, isResumed: resume !== undefined });
    } catch (error) {
      // Structured clone has refused the job. The worker has not received it and is still idle.
      this.#settle(thread, () => pending.reject(executionErrors.failed('it cannot be sent to a worker', error)));
    }
  }

  /** Frees a thread, delivers the result or error of its job, and dispatches the next job. */
  #settle(
    thread: PoolThread,
    deliver: (pending: PendingJob) => void,
    { isAnswered = false, reads, missing }: Ending = {},
  ): void {
    const { pending } = thread;
    if (pending === undefined) return;
    if (isAnswered) pending.resume?.onReads(reads);
    this.#free(thread, pending, { isAnswered, missing });
    thread.state = 'idle';
    this.#idle++;
    deliver(pending);
    this.#dispatch();
  }

  /** Kills a worker together with its job, and starts another worker. */
  #replace(thread: PoolThread, error: Error): void {
    if (!this.#threads.delete(thread)) return;
    const { pending } = thread;
    if (pending === undefined) this.#idle--;
    else this.#free(thread, pending, {});
    void thread.worker.kill();
    this.#replaced++;
    this.#start();
    pending?.reject(error);
    this.#dispatch();
  }

  #free(thread: PoolThread, pending: PendingJob, { isAnswered = false, missing }: Ending): void {
    clearTimeout(thread.killTimer);
    delete thread.pending;
    this.#running--;
    const at = performance.now();
    const usedMs = at - thread.startedAt;
    this.#jobMs += (usedMs - this.#jobMs) / 16;
    this.#queue.settle(pending.lane, usedMs);
    this.#recentTime.add(pending.lane, usedMs, at);
    if (missing === undefined || pending.isAborted)
      pending.onUsed?.({ workerMs: usedMs, isAnswered: isAnswered && !pending.isAborted });
    else missing.workerMs = usedMs;
  }

  #notifyIfDrained(): void {
    if (this.#running === 0 && this.#queue.length === 0) this.#onDrained?.();
  }

  #retryAfterMs(): number {
    return Math.max(100, Math.ceil((this.#queue.length * this.#jobMs) / this.#workers));
  }
}
