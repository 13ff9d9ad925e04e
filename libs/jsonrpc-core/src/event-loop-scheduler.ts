import { nextTurn } from '@cairn/platform';

/**
 * Maximum time in milliseconds for one kind of work in one turn of the event loop. A single step that cannot be split may
 * take longer.
 */
const sliceMs = 5;

/**
 * Shares the event loop between requests, so that other events are handled in between. In each turn of the loop, short work
 * runs until its slice is used up. The rest waits for later turns in order of arrival. Batches and long bodies have a
 * separate slice: one of them runs in each turn.
 */
export class EventLoopScheduler {
  readonly #waiting: Job[] = [];
  /** Start time of the first short work in this turn. */
  #shortWorkStart: number | undefined;
  #sliceStart = Number.NEGATIVE_INFINITY;

  /** Runs short work immediately, or in a later turn if this one has no time left. */
  run<T>(work: () => T): T | Promise<Awaited<T>> {
    if (this.#hasTime()) return work();
    return new Promise((resolve) => this.#wait({ isShort: true, start: () => resolve(work() as Awaited<T>) }));
  }

  /** True if long work has to await {@link nextSlice} before it continues. */
  get isSliceOver(): boolean {
    return performance.now() - this.#sliceStart >= sliceMs;
  }

  /** Resolves in a turn in which no other long work runs. */
  nextSlice(): Promise<void> {
    return new Promise((resolve) => this.#wait({ isShort: false, start: resolve }));
  }

  #hasTime(): boolean {
    const now = performance.now();
    if (this.#shortWorkStart !== undefined) return now - this.#shortWorkStart < sliceMs;
    this.#shortWorkStart = now;
    void nextTurn().then(this.#endTurn);
    return true;
  }

  readonly #endTurn = () => {
    this.#shortWorkStart = undefined;
  };

  #wait(job: Job): void {
    this.#waiting.push(job);
    if (this.#waiting.length === 1) void nextTurn().then(this.#startJobs);
  }

  readonly #startJobs = () => {
    this.#sliceStart = performance.now();
    let started = 0;
    for (const job of this.#waiting) {
      started++;
      job.start();
      if (!job.isShort || this.isSliceOver) break;
    }
    // Removed after their turn, so that a job that arrives meanwhile does not start a second loop.
    void nextTurn().then(() => {
      this.#waiting.splice(0, started);
      if (this.#waiting.length > 0) this.#startJobs();
    });
  };
}

interface Job {
  /** True for work that ends when `start` returns. */
  readonly isShort: boolean;
  readonly start: () => void;
}
