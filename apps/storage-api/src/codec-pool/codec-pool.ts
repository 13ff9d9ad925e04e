import { Worker } from 'node:worker_threads';
import { type ProcessGroup, shareOf, singleProcess } from '@cairn/service-kit';
import { ApiError } from '../api-v0/api-error.ts';
import { workOf } from '../api-v0/with-work.ts';
import { bytesOfOutcome, type CodecJob, type CodecOutcome, runCodecJob } from './codec-job.ts';

const codecLimits = {
  /** Blocks up to this length are decoded on the event loop: it takes some milliseconds at most. */
  inlineBytesMax: 8 * 1024,
  /** Milliseconds for a job in the thread. The slowest block of 2 MiB takes some 5 seconds. */
  jobMs: 20_000,
  /** Waiting jobs, of all accounts and of one. */
  waitingMax: 256,
  waitingOfAccountMax: 32,
  /** Memory of the thread in MiB. Values take much more than their blocks. */
  memoryMibMax: 768,
} as const;

interface Waiting {
  readonly job: CodecJob;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

export interface CodecRunOptions {
  /** Accounts take turns. */
  readonly account: string;
  readonly signal: AbortSignal;
}

export interface CodecPoolOptions {
  /** Built code of the thread. */
  readonly threadUrl?: URL;
  readonly jobMs?: number;
  /** Processes among which the waiting jobs are divided. Default: one. */
  readonly processes?: Pick<ProcessGroup, 'count'>;
}

/**
 * Decodes and encodes blocks. Long ones go to a thread with a time limit, one at a time, so that no block delays
 * other requests. Waiting accounts take turns. The thread starts with the first long block.
 */
export class CodecPool {
  readonly #threadUrl: URL;
  readonly #jobMs: number;
  readonly #waitingMax: number;
  readonly #waitingOfAccountMax: number;
  #worker: Worker | undefined;
  /** Job in the thread. */
  #running: Waiting | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Jobs by account. The first account is next. */
  readonly #waiting = new Map<string, Waiting[]>();
  #waitingCount = 0;

  constructor({ threadUrl, jobMs, processes = singleProcess }: CodecPoolOptions = {}) {
    this.#threadUrl = threadUrl ?? new URL('./codec-thread.js', import.meta.url);
    this.#jobMs = jobMs ?? codecLimits.jobMs;
    this.#waitingMax = shareOf(codecLimits.waitingMax, processes);
    this.#waitingOfAccountMax = shareOf(codecLimits.waitingOfAccountMax, processes);
  }

  /**
   * @throws DAG_INVALID, VALUE_INVALID, PATH_LOOKUP_FAILED; ApiError 503 where too many jobs wait, 400 for a block
   * that exceeds the time or memory of a job; the reason of the signal
   */
  async run(job: CodecJob, { account, signal }: CodecRunOptions): Promise<Uint8Array> {
    signal.throwIfAborted();
    if (job.bytes.length <= codecLimits.inlineBytesMax) return runCodecJob(job);
    workOf(signal)?.codec(job.bytes.length);
    const own = this.#waiting.get(account) ?? [];
    if (own.length >= this.#waitingOfAccountMax || this.#waitingCount >= this.#waitingMax)
      throw new ApiError(503, 'too many long blocks wait to be decoded; try again later', { 'retry-after': '1' });
    let onAbort = () => {};
    const done = new Promise<Uint8Array>((resolve, reject) => {
      const waiting = { job, resolve, reject };
      onAbort = () => this.#abort(account, waiting, signal.reason);
      own.push(waiting);
      this.#waiting.set(account, own);
      this.#waitingCount++;
    });
    signal.addEventListener('abort', onAbort, { once: true });
    this.#next();
    try {
      return await done;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    await this.#endThread();
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const [front] = this.#waiting;
    if (front === undefined) return;
    const [account, jobs] = front;
    const next = jobs.shift();
    // Moves the account behind the others.
    this.#waiting.delete(account);
    if (jobs.length > 0) this.#waiting.set(account, jobs);
    if (next === undefined) return;
    this.#waitingCount--;
    this.#running = next;
    this.#timer = setTimeout(() => this.#fail(tooExpensive(`${this.#jobMs} ms`)), this.#jobMs);
    // A copy with its own memory: a block may be a view of a page of the store.
    const bytes = Uint8Array.from(next.job.bytes);
    this.#worker ??= this.#startThread();
    this.#worker.postMessage({ ...next.job, bytes }, [bytes.buffer]);
  }

  #startThread(): Worker {
    const worker = new Worker(this.#threadUrl, {
      resourceLimits: { maxOldGenerationSizeMb: codecLimits.memoryMibMax },
      // Options of the process, such as those of a test runner, do not apply to this code.
      execArgv: [],
    });
    const isCurrent = () => this.#worker === worker;
    worker.on('message', (outcome: CodecOutcome) => {
      if (isCurrent()) this.#settle((job) => job.resolve(bytesOfOutcome(outcome)));
    });
    worker.on('error', (error: Error & { readonly code?: string }) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (isCurrent()) this.#fail(isMemory ? tooExpensive(`${codecLimits.memoryMibMax} MiB`) : error);
    });
    worker.unref();
    return worker;
  }

  /** Ends the running job together with the thread, since its code cannot be stopped in another way. */
  #fail(error: unknown): void {
    void this.#endThread();
    this.#settle((job) => job.reject(error));
  }

  #settle(settle: (job: Waiting) => void): void {
    clearTimeout(this.#timer);
    const job = this.#running;
    this.#running = undefined;
    if (job !== undefined) {
      try {
        settle(job);
      } catch (error) {
        job.reject(error);
      }
    }
    this.#next();
  }

  #abort(account: string, waiting: Waiting, reason: unknown): void {
    if (this.#running === waiting) {
      this.#fail(reason);
      return;
    }
    const jobs = this.#waiting.get(account) ?? [];
    const at = jobs.indexOf(waiting);
    if (at === -1) return;
    jobs.splice(at, 1);
    this.#waitingCount--;
    if (jobs.length === 0) this.#waiting.delete(account);
    waiting.reject(reason);
  }

  async #endThread(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

function tooExpensive(limit: string): ApiError {
  return new ApiError(400, `the block takes more than ${limit} to decode; split it into several blocks`);
}
