const workMs = 4;

/**
 * Cuts long work into slices of a few milliseconds and rests as long as it worked, so that requests in the same process
 * hardly notice.
 */
export class TimeSlicer {
  #began = performance.now();

  /** Call it often: it returns at once until a slice is over. */
  async step(): Promise<void> {
    const worked = performance.now() - this.#began;
    if (worked < workMs) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(worked, 4 * workMs)));
    this.#began = performance.now();
  }
}
