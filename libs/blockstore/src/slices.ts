import { nextTurn } from '@cairn/platform';

const sliceMs = 5;

/** Cuts CPU work on untrusted input into slices, so that other requests run between them. */
export class Slices {
  #began = performance.now();

  /** True when the work has run for as long as a slice may. A hot path asks this and awaits {@link next} only then. */
  get isOver(): boolean {
    return performance.now() - this.#began >= sliceMs;
  }

  /** Gives way to other work, then begins the next slice. */
  async next(): Promise<void> {
    await nextTurn();
    this.#began = performance.now();
  }

  /** Call it often: it returns immediately until a slice is over. */
  async step(): Promise<void> {
    if (this.isOver) await this.next();
  }
}
