// Hot path of every message. Bench: libp2p/kubo.bench.ts.

/** Work in steps, each far below {@link sliceMs}. */
export type Steps<Result = void> = Generator<undefined, Result, undefined>;

/** Maximum time in milliseconds for all work in one turn of the event loop. */
const sliceMs = 8;

/** Time in milliseconds after which the next waiting work continues, and that short work has immediately. */
const shareMs = 2;

/** Runs steps until a time. Returns false at the end of the work. */
type Advance = (until: number) => boolean;

/** Work of one group, which runs one after another. */
interface Lane {
  readonly group: unknown;
  readonly work: Advance[];
}

/**
 * Runs work in slices, so that neither a message of 4 MiB nor the messages of many peers block other events. Short work ends
 * within the call if no other work waits. Groups continue in turn, and one group has at most one started work: each decoded
 * message takes many times its bytes, and a peer that sends many gets no larger share.
 */
export class SlicedSteps {
  readonly #waiting: Lane[] = [];
  readonly #lanes = new Map<unknown, Lane>();
  /** End of the slice of this turn, as of `performance.now()`. */
  #sliceEnd: number | undefined;

  /**
   * @param group Work of equal groups runs one after another. Default: a group of its own.
   * @throws the error of a step
   */
  run<Result>(steps: Steps<Result>, group: unknown = steps): Promise<Result> {
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
      if (this.#waiting.length > 0 || advance(until)) this.#wait(group, advance);
    });
  }

  #wait(group: unknown, advance: Advance): void {
    const lane = this.#lanes.get(group);
    if (lane !== undefined) {
      lane.work.push(advance);
      return;
    }
    const opened = { group, work: [advance] };
    this.#lanes.set(group, opened);
    this.#waiting.push(opened);
  }

  /** Runs the work of a lane until a time. Returns false when the lane is empty. */
  #advance({ group, work }: Lane, until: number): boolean {
    for (let first = work[0]; first !== undefined; first = work[0]) {
      if (first(until)) return true;
      work.shift();
      if (work.length > 0 && performance.now() >= until) return true;
    }
    this.#lanes.delete(group);
    return false;
  }

  readonly #continue = () => {
    if (this.#waiting.length === 0) {
      this.#sliceEnd = undefined;
      return;
    }
    const end = performance.now() + sliceMs;
    this.#sliceEnd = end;
    for (let now = performance.now(); now < end; now = performance.now()) {
      const lane = this.#waiting.shift();
      if (lane === undefined) break;
      if (this.#advance(lane, Math.min(end, now + shareMs))) this.#waiting.push(lane);
    }
    setImmediate(this.#continue);
  };
}
