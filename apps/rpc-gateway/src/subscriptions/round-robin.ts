/** Milliseconds of one slice, and its number of turns: a turn may queue microtasks, whose time the clock does not show. */
const sliceMs = 4;
const turnsMax = 16;

/**
 * Gives turns to jobs in the order in which they ask, with the event loop between slices. A head change has a turn for each block of
 * each subscription, and a thousand subscriptions must not delay other requests. A job that waits for a read holds up no other job.
 */
export class RoundRobin {
  #waiting: (() => void)[] = [];
  #isScheduled = false;

  /** Resolves when it is the caller's turn. A turn lasts until the caller waits for anything. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => void this.#slice());
  }

  async #slice(): Promise<void> {
    const end = performance.now() + sliceMs;
    for (let turns = 0; turns < turnsMax && performance.now() < end; turns++) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      next();
      // The job runs before this function continues, since its continuation was queued first.
      await undefined;
    }
    this.#isScheduled = false;
    this.#schedule();
  }
}
