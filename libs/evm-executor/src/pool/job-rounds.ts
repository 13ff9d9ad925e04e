import { isCairnError } from '@cairn/errors';
import { executionErrors } from '../errors.ts';
import type { CallPoolExecuteOptions, CallUse } from './call-pool.ts';
import type { ReadsMissing } from './resumable-pool.ts';
import type { SharedAbortListeners } from './shared-abort-listeners.ts';

interface RoundLimits {
  /** Start of the job, by performance.now(). */
  readonly startedAt: number;
  /** Worker time over all runs. */
  readonly timeoutMs: number;
  /** Further time over all rounds. */
  readonly fetchTimeoutMs: number;
}

/** The runs and fetches of one job: they share one deadline, and their worker time is reported as one use. */
export class JobRounds {
  readonly #options: CallPoolExecuteOptions;
  readonly #limits: RoundLimits;
  #missing: unknown;
  #workerMs = 0;
  /** The use is reported, or will be by an aborted run that has not ended. */
  #isReported = false;

  constructor(options: CallPoolExecuteOptions, limits: RoundLimits) {
    this.#options = options;
    this.#limits = limits;
  }

  /** Reads that the last run missed. */
  get missing(): unknown {
    return this.#missing;
  }

  /** Adds a run that missed reads. */
  add({ missing, workerMs }: ReadsMissing): void {
    this.#missing = missing;
    this.#workerMs += workerMs;
  }

  /** Runs within the remaining worker time. @throws EXECUTION_TIMEOUT, and the errors of the run */
  async run<T>(execute: (options: CallPoolExecuteOptions) => Promise<T>): Promise<T> {
    const timeoutMs = this.#limits.timeoutMs - this.#workerMs;
    if (timeoutMs <= 0) throw executionErrors.timeout(this.#limits.timeoutMs);
    const onUsed = ({ workerMs, isAnswered }: CallUse) => {
      this.#workerMs += workerMs;
      this.#report(isAnswered);
    };
    try {
      return await execute({ ...this.#options, timeoutMs, onUsed });
    } catch (error) {
      // An aborted run reports its use when it ends.
      if (isCairnError(error, 'EXECUTION_ABORTED')) this.#isReported = true;
      throw error;
    }
  }

  /** Waits for a fetch until the deadline. @throws EXECUTION_TIMEOUT, EXECUTION_ABORTED, and the errors of the fetch */
  async whileFetching(listeners: SharedAbortListeners, fetch: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal: outer } = this.#options;
    if (outer?.aborted) throw executionErrors.aborted(outer.reason);
    const totalMs = this.#limits.timeoutMs + this.#limits.fetchTimeoutMs;
    const controller = new AbortController();
    const forget = outer && listeners.add(outer, () => controller.abort(executionErrors.aborted(outer.reason)));
    const leftMs = Math.max(0, totalMs - (performance.now() - this.#limits.startedAt));
    const timer = setTimeout(() => controller.abort(executionErrors.timeout(totalMs)), leftMs);
    const { signal } = controller;
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      await Promise.race([fetch(signal), ended]);
    } finally {
      clearTimeout(timer);
      forget?.();
    }
  }

  /** Reports the use of all runs, unless the last run has done so. */
  end(isAnswered: boolean): void {
    if (!this.#isReported && this.#workerMs > 0) this.#report(isAnswered);
  }

  #report(isAnswered: boolean): void {
    this.#isReported = true;
    this.#options.onUsed?.({ workerMs: this.#workerMs, isAnswered });
  }
}
