import { nextTurn } from '@cairn/platform';

/** Longest work of one kind in one turn in milliseconds, as far as it can be cut. */
const turnMs = 5;

/**
 * Shares the event loop between requests, so that other events come between them. In each turn of the loop, requests run until their
 * time is over; the rest waits for later turns, in the order in which it came. Long lists and bodies have a time of their own, one of
 * them in each turn.
 */
export class Turns {
  readonly #waiting: Job[] = [];
  /** When the first request of this turn began. */
  #runBegan: number | undefined;
  #sliceBegan = Number.NEGATIVE_INFINITY;

  /** Runs short work now, or in a later turn when this one has no time left. */
  run<T>(work: () => T): T | Promise<Awaited<T>> {
    if (this.#hasTime()) return work();
    return new Promise((resolve) => this.#wait({ isShort: true, begin: () => resolve(work() as Awaited<T>) }));
  }

  /** True when a long list has to await {@link next} before more work. */
  get isOver(): boolean {
    return performance.now() - this.#sliceBegan >= turnMs;
  }

  /** Resolves in a turn in which no other long work runs. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#wait({ isShort: false, begin: resolve }));
  }

  #hasTime(): boolean {
    const now = performance.now();
    if (this.#runBegan !== undefined) return now - this.#runBegan < turnMs;
    this.#runBegan = now;
    void nextTurn().then(this.#endRuns);
    return true;
  }

  readonly #endRuns = () => {
    this.#runBegan = undefined;
  };

  #wait(job: Job): void {
    this.#waiting.push(job);
    if (this.#waiting.length === 1) void nextTurn().then(this.#begin);
  }

  readonly #begin = () => {
    this.#sliceBegan = performance.now();
    let begun = 0;
    for (const job of this.#waiting) {
      begun++;
      job.begin();
      if (!job.isShort || this.isOver) break;
    }
    // Taken out after their turn: one that asks meanwhile finds the loop running.
    void nextTurn().then(() => {
      this.#waiting.splice(0, begun);
      if (this.#waiting.length > 0) this.#begin();
    });
  };
}

interface Job {
  /** True for work that ends when `begin` returns. */
  readonly isShort: boolean;
  readonly begin: () => void;
}
