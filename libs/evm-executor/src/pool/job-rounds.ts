import { isCairnError } from '@cairn/errors';
import { executionErrors } from '../errors.ts';
import type { CallPoolExecuteOptions, CallUse } from './call-pool.ts';
import type { SharedAbortListeners } from './shared-abort-listeners.ts';

interface RoundLimits {
  /** Worker time over all runs. */
  readonly timeoutMs: number;
  /** Further time over all rounds. */
  readonly fetchTimeoutMs: number;
}

/** The runs and fetches of one job: they share one deadline, and their worker time is reported as one use. */
export class JobRounds {
  readonly #options: CallPoolExecuteOptions;
  readonly #limits: RoundLimits;
  readonly #startedAt = performance.now();
  #workerMs = 0;
  #isUsed = false;
  /** An aborted run settles before its use is known. */
  #isUseLate = false;
  #isAnswered: boolean | undefined;

  constructor(options: CallPoolExecuteOptions, limits: RoundLimits) {
    this.#options = options;
    this.#limits = limits;
  }

  /** Runs once within the remaining worker time. @throws EXECUTION_TIMEOUT, and the errors of the run */
  async run<T>(execute: (options: CallPoolExecuteOptions) => Promise<T>): Promise<T> {
    const timeoutMs = this.#limits.timeoutMs - this.#workerMs;
    if (timeoutMs <= 0) throw executionErrors.timeout(this.#limits.timeoutMs);
    let isKnown = false;
    const onUsed = ({ workerMs }: CallUse) => {
      isKnown = true;
      this.#isUsed = true;
      this.#workerMs += workerMs;
      if (this.#isUseLate) this.#report();
    };
    try {
      return await execute({ ...this.#options, timeoutMs, onUsed });
    } catch (error) {
      this.#isUseLate = !isKnown && isCairnError(error, 'EXECUTION_ABORTED');
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
    const leftMs = Math.max(0, totalMs - (performance.now() - this.#startedAt));
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

  /** Reports the use of all runs, if a worker was used. */
  end(isAnswered: boolean): void {
    this.#isAnswered = isAnswered;
    if (!this.#isUseLate) this.#report();
  }

  #report(): void {
    if (this.#isUsed && this.#isAnswered !== undefined)
      this.#options.onUsed?.({ workerMs: this.#workerMs, isAnswered: this.#isAnswered });
  }
}
