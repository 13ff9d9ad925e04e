// Hot path of every message. Bench: libp2p/kubo.bench.ts.

/** Work in steps, each far below {@link sliceMs}. */
export type Steps<Result = void> = Generator<undefined, Result, undefined>;

/** Maximum time in milliseconds for all work in one turn of the event loop. */
const sliceMs = 8;

/** Time in milliseconds after which the next waiting work continues, and that short work has immediately. */
const shareMs = 2;

/** Runs steps until a time. Returns false at the end of the work. */
type Advance = (until: number) => boolean;

/**
 * Runs work in slices, so that neither a message of 4 MiB nor the messages of many peers block other events. Short work ends
 * within the call if no other work waits. Other work continues in turn.
 */
export class SlicedSteps {
  readonly #waiting: Advance[] = [];
  /** End of the slice of this turn, as of `performance.now()`. */
  #sliceEnd: number | undefined;

  /** @throws the error of a step */
  run<Result>(steps: Steps<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const advance = (until: number) => {
        try {
          for (;;) {
            const step = steps.next();
            if (step.done === true) {
              resolve(step.value);
              return false;
            }
            if (performance.now() >= until) return true;
          }
        } catch (error) {
          reject(error);
          return false;
        }
      };
      if (this.#sliceEnd === undefined) {
        this.#sliceEnd = performance.now() + sliceMs;
        setImmediate(this.#continue);
      }
      // Short work does not wait for the next turn, also if the slice is over.
      const until = Math.max(this.#sliceEnd, performance.now() + shareMs);
      if (this.#waiting.length > 0 || advance(until)) this.#waiting.push(advance);
    });
  }

  readonly #continue = () => {
    if (this.#waiting.length === 0) {
      this.#sliceEnd = undefined;
      return;
    }
    const end = performance.now() + sliceMs;
    this.#sliceEnd = end;
    for (let now = performance.now(); now < end; now = performance.now()) {
      const advance = this.#waiting.shift();
      if (advance === undefined) break;
      if (advance(Math.min(end, now + shareMs))) this.#waiting.push(advance);
    }
    setImmediate(this.#continue);
  };
}
