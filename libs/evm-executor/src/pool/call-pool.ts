import { availableParallelism } from 'node:os';
import type { EngineName } from '../engine/create-engine.ts';
import { executionErrors } from '../errors.ts';
import { callLimits } from '../execute-call.ts';
import type {
  CallChain,
  CallPool,
  CallPoolExecuteOptions,
  CallPoolStats,
  ExecutionJob,
  ResultOf,
} from './call-pool-types.ts';
import { CallWorker, type CallWorkerOptions } from './call-worker.ts';
import { InlineLane } from './inline-lane.ts';
import { LaneQueue } from './lane-queue.ts';
import { openCallServer } from './serve-calls.ts';
import { SignalFollowers } from './signal-followers.ts';
import type { WorkerData } from './worker-protocol.ts';

/** Defaults of {@link CallPoolOptions}. */
export const callPoolLimits = {
  timeoutMs: 5_000, // The longest a client should wait; 10 times the block gas takes longer in an interpreter.
  queueMax: 1_000, // More would wait longer than clients do.
  queueTimeoutMs: 10_000, // Clients give up about then.
  memoryMibMax: 256, // Storage written at 100 gas a slot would take gigabytes.
  startTimeoutMs: 30_000, // A worker starts in under a second on an idle machine.
  deadlineGraceMs: 150, // An interpreter looks at the clock every some tens of milliseconds.
  abortGraceMs: 100, // Ending a worker costs more than letting a short call finish.
} as const;

export interface CallPoolOptions {
  /** The chains that calls may name, by name. */
  readonly chains: Readonly<Record<string, CallChain>>;
  /** Calls that run at the same time. Default: one per core. One more thread stands by. */
  readonly workers?: number;
  /** Wall clock from the start of the execution. Default 5,000 ms. */
  readonly timeoutMs?: number;
  /** Calls that wait at the same time. Default 1,000. */
  readonly queueMax?: number;
  /** How long a call may wait for a worker. Default 10,000 ms. */
  readonly queueTimeoutMs?: number;
  /** JavaScript heap of one worker. Default 256 MiB. */
  readonly memoryMibMax?: number;
  /**
   * Gas that a call may use in the thread of whoever asks for it, before it begins anew in a worker: light calls cost a
   * fraction of the hand-over, and hold up others for about a microsecond per 50 gas. Default 0: all go to the workers.
   */
  readonly inlineGasMax?: number;
  /** What runs the calls. Default `compiled`. */
  readonly engine?: EngineName;
  /** Gas cap in block gas limits. Default 10. */
  readonly gasCapMultiplier?: number;
  /** The code of a worker. Default: that of this package; tests that run from sources name the built one. */
  readonly workerUrl?: URL;
}

/**
 * Starts worker threads and waits until they can take calls.
 * @throws EXECUTION_FAILED when a worker cannot start, for example because a chain does not open
 */
export async function createCallPool(options: CallPoolOptions): Promise<CallPool> {
  const pool = new ThreadPool(options);
  try {
    await pool.started();
    if (!options.inlineGasMax) return pool;
    return new InlineLane(pool, await openCallServer(workerDataOf(options), options.inlineGasMax));
  } catch (error) {
    await pool.close();
    throw error;
  }
}

function workerDataOf({
  chains,
  gasCapMultiplier = callLimits.gasCapMultiplier,
  engine = 'compiled',
}: CallPoolOptions): WorkerData {
  return { chains, gasCapMultiplier, engine };
}

/** A call on its way. */
interface Ticket {
  readonly job: ExecutionJob;
  readonly lane: string;
  readonly timeoutMs: number;
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

class ThreadPool implements CallPool {
  readonly #slots = new Set<Slot>();
  readonly #queue = new LaneQueue<Ticket>();
  readonly #followers = new SignalFollowers();
  readonly #workers: number;
  readonly #queueMax: number;
  readonly #queueTimeoutMs: number;
  readonly #timeoutMs: number;
  readonly #workerOptions: CallWorkerOptions;
  #running = 0;
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
    // One more than may run: a call that ends its worker does not make the next one wait for a new thread.
    for (let count = 0; count <= this.#workers; count++) this.#start();
  }

  /** Resolves when as many workers are ready as calls may run. */
  started(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onStarted = { resolve, reject };
    });
  }

  execute<Job extends ExecutionJob>(job: Job, options: CallPoolExecuteOptions = {}): Promise<ResultOf<Job>> {
    const { lane = '', signal, timeoutMs = this.#timeoutMs } = options;
    if (this.#isClosing) return Promise.reject(executionErrors.closed());
    if (signal?.aborted) return Promise.reject(executionErrors.aborted(signal.reason));
    return new Promise((resolve, reject) => {
      // A worker answers a job with what that kind of job comes to.
      const settle = resolve as Ticket['resolve'];
      const ticket: Ticket = { job, lane, timeoutMs, resolve: settle, reject };
      if (signal !== undefined) this.#follow(ticket, signal);
      const slot = this.#freeSlot();
      if (slot === undefined) this.#enqueue(ticket);
      else this.#run(slot, ticket);
    });
  }

  stats(): CallPoolStats {
    const idle = [...this.#slots].filter(({ state }) => state === 'idle').length;
    return { running: this.#running, queued: this.#queue.length, idle, replaced: this.#replaced };
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
        onResult: (result) => this.#settle(slot, (ticket) => ticket.resolve(result)),
        onError: (error) => this.#settle(slot, (ticket) => ticket.reject(error)),
        onLost: (error) => this.#lost(slot, error),
      }),
    };
    this.#slots.add(slot);
  }

  #ready(slot: Slot): void {
    slot.state = 'idle';
    this.#failedStarts = 0;
    if (this.stats().idle + this.#running >= this.#workers) {
      this.#onStarted?.resolve();
      this.#onStarted = undefined;
    }
    this.#next();
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
    // What keeps workers from starting may pass; to try at once again and again would only burn the processor.
    const delayMs = Math.min(100 * 2 ** this.#failedStarts, 10_000);
    setTimeout(() => this.#isClosing || this.#start(), delayMs).unref();
  }

  #enqueue(ticket: Ticket): void {
    if (this.#queue.length >= this.#queueMax) {
      const evicted = this.#queue.evictFor(ticket.lane);
      (evicted ?? ticket).reject(executionErrors.queueFull(this.#queueMax, this.#retryAfterMs()));
      if (evicted === undefined) return;
    }
    this.#queue.push(ticket.lane, ticket);
    const timer = setTimeout(() => {
      if (!this.#queue.remove(ticket.lane, ticket)) return;
      ticket.reject(executionErrors.queueTimeout(this.#queueTimeoutMs, this.#retryAfterMs()));
      this.#noteDrained();
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
    ticket.reject(error);
    if (this.#queue.remove(ticket.lane, ticket)) {
      this.#noteDrained();
      return;
    }
    const slot = [...this.#slots].find((candidate) => candidate.ticket === ticket);
    if (slot === undefined) return;
    clearTimeout(slot.timer);
    slot.timer = setTimeout(() => this.#replace(slot, error), callPoolLimits.abortGraceMs);
  }

  #freeSlot(): Slot | undefined {
    if (this.#running >= this.#workers) return undefined;
    for (const slot of this.#slots) if (slot.state === 'idle') return slot;
    return undefined;
  }

  #run(slot: Slot, ticket: Ticket): void {
    slot.state = 'busy';
    slot.ticket = ticket;
    slot.startedAt = performance.now();
    const { job, timeoutMs } = ticket;
    // Its engine ends it by then, and the worker lives; what does not look at the clock ends with its worker.
    const patienceMs = timeoutMs + callPoolLimits.deadlineGraceMs;
    slot.timer = setTimeout(() => this.#replace(slot, executionErrors.timeout(timeoutMs)), patienceMs);
    this.#running++;
    try {
      slot.worker.run(job, timeoutMs);
    } catch (error) {
      // Structured clone does not take it. The worker has not seen it and is as idle as before.
      this.#settle(slot, () => ticket.reject(executionErrors.failed('it cannot be handed to a worker', error)));
    }
  }

  /** Frees a slot, tells its ticket how it went, and gives the slot its next call. */
  #settle(slot: Slot, tell: (ticket: Ticket) => void): void {
    const { ticket } = slot;
    if (ticket === undefined) return;
    this.#free(slot);
    slot.state = 'idle';
    tell(ticket);
    this.#next();
  }

  /** Ends a worker together with its call, and starts another. */
  #replace(slot: Slot, error: Error): void {
    if (!this.#slots.delete(slot)) return;
    const { ticket } = slot;
    if (ticket !== undefined) this.#free(slot);
    void slot.worker.kill();
    this.#replaced++;
    this.#start();
    ticket?.reject(error);
    this.#next();
  }

  #free(slot: Slot): void {
    clearTimeout(slot.timer);
    delete slot.ticket;
    this.#running--;
    this.#callMs += (performance.now() - slot.startedAt - this.#callMs) / 16;
  }

  #next(): void {
    for (let slot = this.#freeSlot(); slot !== undefined; slot = this.#freeSlot()) {
      const ticket = this.#queue.shift();
      if (ticket === undefined) break;
      this.#run(slot, ticket);
    }
    this.#noteDrained();
  }

  #noteDrained(): void {
    if (this.#running === 0 && this.#queue.length === 0) this.#onDrained?.();
  }

  #retryAfterMs(): number {
    return Math.max(100, Math.ceil((this.#queue.length * this.#callMs) / this.#workers));
  }
}
