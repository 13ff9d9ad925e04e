/** Milliseconds of one slice, and its number of steps: a step may queue microtasks, whose time the clock does not show. */
const sliceMs = 4;
const stepsMax = 16;

/**
 * Runs jobs one step at a time in turn, with the event loop between slices. A head change has one step for each event of each
 * subscription, and a thousand subscriptions must not delay other requests.
 */
export class RoundRobin {
  #jobs: Iterator<unknown>[] = [];
  #isScheduled = false;
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  add(job: Iterator<unknown>): void {
    this.#jobs.push(job);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#jobs.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => this.#slice());
  }

  #slice(): void {
    this.#isScheduled = false;
    const end = performance.now() + sliceMs;
    for (let steps = 0; steps < stepsMax && performance.now() < end; steps++) {
      const job = this.#jobs.shift();
      if (job === undefined) break;
      if (this.#step(job)) this.#jobs.push(job);
    }
    this.#schedule();
  }

  /** Returns whether the job has more steps. A job that throws has ended. */
  #step(job: Iterator<unknown>): boolean {
    try {
      return job.next().done !== true;
    } catch (error) {
      this.#onError(error);
      return false;
    }
  }
}
