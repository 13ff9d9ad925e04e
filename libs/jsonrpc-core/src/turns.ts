import { nextTurn } from '@cairn/platform';

/** Longest work of one turn in milliseconds, as far as it can be cut. */
const turnMs = 5;

/**
 * Shares the event loop between long lists and bodies: one of them works in each turn of the loop, in the order in which they asked,
 * and other events come between.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #began = Number.NEGATIVE_INFINITY;

  /** True when {@link next} has to be awaited before more work. */
  get isOver(): boolean {
    return performance.now() - this.#began >= turnMs;
  }

  /** Resolves in a turn in which nothing else that waits here works. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) void nextTurn().then(this.#begin);
    });
  }

  readonly #begin = () => {
    const [resolve] = this.#waiting;
    this.#began = performance.now();
    resolve?.();
    // Taken out after its turn: one that asks meanwhile finds the loop running.
    void nextTurn().then(() => {
      this.#waiting.shift();
      if (this.#waiting.length > 0) this.#begin();
    });
  };
}
