import { AsyncResource } from 'node:async_hooks';

/** Maximum time in milliseconds for work in one turn of the event loop. A single piece may take longer. */
const sliceMs = 5;

/** Runs pieces of work in order and in slices, so that other events are handled between the answers of a long batch. */
export class SlicedWork {
  readonly #waiting: (() => void)[] = [];
  /** Start of the first piece in this turn. */
  #start: number | undefined;

  /** @throws the error of the work */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const piece = () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      if (this.#waiting.length === 0 && this.#hasTime()) piece();
      else this.#wait(AsyncResource.bind(piece));
    });
  }

  #hasTime(): boolean {
    const now = performance.now();
    if (this.#start !== undefined) return now - this.#start < sliceMs;
    this.#start = now;
    if (this.#waiting.length === 0) setImmediate(this.#endTurn);
    return true;
  }

  readonly #endTurn = () => {
    this.#start = undefined;
  };

  #wait(piece: () => void): void {
    this.#waiting.push(piece);
    if (this.#waiting.length === 1) setImmediate(this.#runWaiting);
  }

  readonly #runWaiting = () => {
    this.#start = performance.now();
    let count = 0;
    for (const piece of this.#waiting) {
      piece();
      count++;
      if (performance.now() - this.#start >= sliceMs) break;
    }
    this.#waiting.splice(0, count);
    setImmediate(this.#waiting.length > 0 ? this.#runWaiting : this.#endTurn);
  };
}
