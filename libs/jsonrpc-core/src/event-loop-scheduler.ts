import { nextTurn } from '@cairn/platform';

/** Milliseconds of work of one kind in one turn of the event loop, as far as the work can be split. */
const sliceMs = 5;

/**
 * Shares the event loop between requests, so that other events are handled in between. In each turn of the loop, short work runs until
 * its slice is over; the rest waits for later turns in order of arrival. Long lists and bodies have a slice of their own, one of them
 * in each turn.
 */
export class EventLoopScheduler {
  readonly #waiting: Job[] = [];
  /** Start of the first short work in this turn. */
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
