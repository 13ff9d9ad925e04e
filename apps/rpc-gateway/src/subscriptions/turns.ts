/** Time of one slice in milliseconds, and steps of it: each step may leave work to microtasks, which no clock sees. */
const sliceMs = 4;
const stepsMax = 16;

/**
 * Runs jobs in slices, a step of each in turn, with the event loop between the slices. A change of the head has one step for each
 * event of each subscription: a thousand subscriptions must not keep other requests waiting.
 */
export class Turns {
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

  /** Whether the job has more to do. One that throws has ended. */
  #step(job: Iterator<unknown>): boolean {
    try {
      return job.next().done !== true;
    } catch (error) {
      this.#onError(error);
      return false;
    }
  }
}
