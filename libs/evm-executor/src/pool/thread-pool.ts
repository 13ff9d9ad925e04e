import { availableParallelism } from 'node:os';
import { executionErrors } from '../errors.ts';
import type { CallPool, CallPoolExecuteOptions, CallPoolStats } from './call-pool.ts';
import { type CallPoolOptions, callPoolLimits, workerDataOf } from './call-pool-options.ts';
import { CallWorker, type CallWorkerOptions } from './call-worker.ts';
import type { ExecutionJob, ResultOf } from './execution-job.ts';
import { FairQueue } from './fair-queue.ts';
import { RecentUse } from './recent-use.ts';
import { SignalFollowers } from './signal-followers.ts';

/**
 * Threads beyond the calls that may run: one that is kept for light lanes, and one that is ready to take the place of a
 * worker that is ended.
 */
const sparesCount = 2;

const unused = { workerMs: 0, isAnswered: false } as const;

/** A call on its way. */
interface Ticket {
  readonly job: ExecutionJob;
  readonly lane: string;
  readonly timeoutMs: number;
  /** It is in the queue. */
  isWaiting: boolean;
  /** The caller has its error. */
  isAborted: boolean;
  readonly onUsed: CallPoolExecuteOptions['onUsed'];
  resolve(result: ResultOf<ExecutionJob>): void;
  reject(error: Error): void;
}

interface Slot {
  readonly worker: CallWorker;
  state: 'starting' | 'idle' | 'busy';
  ticket?: Ticket;
  timer?: NodeJS.Timeout;
  startedAt: number;
}

/** A pool of worker threads, which takes calls from a queue that is fair by the time they take. */
export class ThreadPool implements CallPool {
  readonly #slots = new Set<Slot>();
  readonly #queue = new FairQueue<Ticket>();
  readonly #recentUse = new RecentUse();
  readonly #followers = new SignalFollowers();
  readonly #workers: number;
  readonly #queueMax: number;
  readonly #queueTimeoutMs: number;
  readonly #timeoutMs: number;
  readonly #workerOptions: CallWorkerOptions;
  #running = 0;
  #idle = 0;
  #replaced = 0;
  #failedStarts = 0;
  #isClosing = false;
  /** Moving average, for advice to those who must try again. */
  #callMs = 10;
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

  /** Resolves when as many workers are ready as calls may run. */
  started(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onStarted = { resolve, reject };
    });
  }

  execute<Job extends ExecutionJob>(job: Job, options: CallPoolExecuteOptions = {}): Promise<ResultOf<Job>> {
    const { lane = '', signal, timeoutMs = this.#timeoutMs, onUsed } = options;
    if (this.#isClosing || signal?.aborted) {
      onUsed?.(unused);
      return Promise.reject(this.#isClosing ? executionErrors.closed() : executionErrors.aborted(signal?.reason));
    }
    return new Promise((resolve, reject) => {
      // A worker answers a job with the result of that kind of job.
      const settle = resolve as Ticket['resolve'];
      const ticket: Ticket = {
        job,
        lane,
        timeoutMs,
        onUsed,
        isWaiting: true,
        isAborted: false,
        resolve: settle,
        reject,
      };
      if (signal !== undefined) this.#follow(ticket, signal);
      this.#enqueue(ticket);
    });
  }

  stats(): CallPoolStats {
    const starting = this.#slots.size - this.#idle - this.#running;
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
    const slots = [...this.#slots];
    this.#slots.clear();
    await Promise.all(slots.map(({ worker }) => worker.end()));
  }

  #start(): void {
    const slot: Slot = {
      state: 'starting',
      startedAt: 0,
      worker: new CallWorker(this.#workerOptions, {
        onReady: () => this.#ready(slot),
        onResult: (result) => this.#settle(slot, (ticket) => ticket.resolve(result), true),
        onError: (error) => this.#settle(slot, (ticket) => ticket.reject(error)),
        onLost: (error) => this.#lost(slot, error),
      }),
    };
    this.#slots.add(slot);
  }

  #ready(slot: Slot): void {
    slot.state = 'idle';
    this.#idle++;
    this.#failedStarts = 0;
    if (this.#idle + this.#running >= this.#workers) {
      this.#onStarted?.resolve();
      this.#onStarted = undefined;
      this.#startSpare();
    }
    this.#next();
  }

  /** Starts a thread that stands by. One at a time, after those that calls wait for: a start takes all of a core. */
  #startSpare(): void {
    const isStarting = this.#slots.size > this.#idle + this.#running;
    if (!this.#isClosing && !isStarting && this.#slots.size < this.#workers + sparesCount) this.#start();
  }

  #lost(slot: Slot, error: Error): void {
    if (slot.state !== 'starting') {
      this.#replace(slot, error);
      return;
    }
    this.#slots.delete(slot);
    this.#failedStarts++;
    this.#onStarted?.reject(error);
    this.#onStarted = undefined;
    if (this.#isClosing) return;
    // The cause of a failed start may pass. Immediate retries would only burn the processor.
    const delayMs = Math.min(100 * 2 ** this.#failedStarts, 10_000);
    setTimeout(() => {
      if (!this.#isClosing && this.#slots.size < this.#workers + sparesCount) this.#start();
    }, delayMs).unref();
  }

  #enqueue(ticket: Ticket): void {
    this.#queue.push(ticket.lane, ticket);
    this.#next();
    if (!ticket.isWaiting) return;
    if (this.#queue.length > this.#queueMax) {
      const evicted = this.#queue.evict(ticket.lane);
      if (evicted !== undefined) this.#refuse(evicted, executionErrors.queueFull(this.#queueMax, this.#retryAfterMs()));
      if (evicted === ticket) return;
    }
    const timer = setTimeout(() => {
      if (!this.#queue.remove(ticket.lane, ticket)) return;
      this.#refuse(ticket, executionErrors.queueTimeout(this.#queueTimeoutMs, this.#retryAfterMs()));
    }, this.#queueTimeoutMs);
    const { resolve, reject } = ticket;
    ticket.resolve = (result) => {
      clearTimeout(timer);
      resolve(result);
    };
    ticket.reject = (error) => {
      clearTimeout(timer);
      reject(error);
    };
  }

  /** Rejects what has left the queue without having run. */
  #refuse(ticket: Ticket, error: Error): void {
    ticket.isWaiting = false;
    ticket.onUsed?.(unused);
    ticket.reject(error);
    this.#noteDrained();
  }

  #follow(ticket: Ticket, signal: AbortSignal): void {
    const unfollow = this.#followers.add(signal, () => this.#abort(ticket, signal.reason));
    const { resolve, reject } = ticket;
    ticket.resolve = (result) => {
      unfollow();
      resolve(result);
    };
    ticket.reject = (error) => {
      unfollow();
      reject(error);
    };
  }

  #abort(ticket: Ticket, cause: unknown): void {
    const error = executionErrors.aborted(cause);
    if (this.#queue.remove(ticket.lane, ticket)) {
      this.#refuse(ticket, error);
      return;
    }
    ticket.isAborted = true;
    ticket.reject(error);
    const slot = [...this.#slots].find((candidate) => candidate.ticket === ticket);
    if (slot === undefined) return;
    slot.worker.stop();
    clearTimeout(slot.timer);
    slot.timer = setTimeout(() => this.#replace(slot, error), callPoolLimits.abortGraceMs);
  }

  /**
   * Whether the next worker is kept for light lanes that hold none: the last one that is ready, and the one beyond those
   * that may run. Whatever fills the workers, a call of another account finds one, and need not wait for a call of
   * several seconds to end or for a thread to start.
   */
  #isKept(): boolean {
    return this.#running >= this.#workers || (this.#idle === 1 && this.#running > 0);
  }

  #next(): void {
    while (this.#idle > 0 && this.#running <= this.#workers) {
      const at = performance.now();
      const isOpen = (lane: string, running: number) => running === 0 && this.#recentUse.isLight(lane, at);
      const ticket = this.#isKept() ? this.#queue.shift(isOpen) : this.#queue.shift();
      if (ticket === undefined) break;
      ticket.isWaiting = false;
      this.#run(this.#idleSlot(), ticket);
    }
    this.#noteDrained();
  }

  #idleSlot(): Slot {
    for (const slot of this.#slots) if (slot.state === 'idle') return slot;
    throw new Error('There is no idle worker.');
  }

  #run(slot: Slot, ticket: Ticket): void {
    slot.state = 'busy';
    slot.ticket = ticket;
    slot.startedAt = performance.now();
    this.#idle--;
    this.#running++;
    const { job, timeoutMs } = ticket;
    // Its engine ends it by then, and the worker lives; what does not look at the clock ends with its worker.
    const patienceMs = timeoutMs + callPoolLimits.deadlineGraceMs;
    slot.timer = setTimeout(() => this.#replace(slot, executionErrors.timeout(timeoutMs)), patienceMs);
    try {
      slot.worker.run(job, timeoutMs);
    } catch (error) {
      // Structured clone does not take it. The worker has not seen it and is as idle as before.
      this.#settle(slot, () => ticket.reject(executionErrors.failed('it cannot be handed to a worker', error)));
    }
  }

  /** Frees a slot, tells its ticket how it went, and gives the slot its next call. */
  #settle(slot: Slot, tell: (ticket: Ticket) => void, isAnswered = false): void {
    const { ticket } = slot;
    if (ticket === undefined) return;
    this.#free(slot, ticket, isAnswered);
    slot.state = 'idle';
    this.#idle++;
    tell(ticket);
    this.#next();
  }

  /** Ends a worker together with its call, and starts another. */
  #replace(slot: Slot, error: Error): void {
    if (!this.#slots.delete(slot)) return;
    const { ticket } = slot;
    if (ticket === undefined) this.#idle--;
    else this.#free(slot, ticket, false);
    void slot.worker.kill();
    this.#replaced++;
    this.#start();
    ticket?.reject(error);
    this.#next();
  }

  #free(slot: Slot, ticket: Ticket, isAnswered: boolean): void {
    clearTimeout(slot.timer);
    delete slot.ticket;
    this.#running--;
    const at = performance.now();
    const usedMs = at - slot.startedAt;
    this.#callMs += (usedMs - this.#callMs) / 16;
    this.#queue.settle(ticket.lane, usedMs);
    this.#recentUse.add(ticket.lane, usedMs, at);
    ticket.onUsed?.({ workerMs: usedMs, isAnswered: isAnswered && !ticket.isAborted });
  }

  #noteDrained(): void {
    if (this.#running === 0 && this.#queue.length === 0) this.#onDrained?.();
  }

  #retryAfterMs(): number {
    return Math.max(100, Math.ceil((this.#queue.length * this.#callMs) / this.#workers));
  }
}
