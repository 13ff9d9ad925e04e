const workMs = 4;

/** Splits background work into slices of a few milliseconds. After each slice it sleeps for as long as the slice took. */
export class TimeSlicer {
  #began = performance.now();

  /** Sleeps if the slice is over; else returns immediately. Call it often. */
  async step(): Promise<void> {
    const worked = performance.now() - this.#began;
    if (worked < workMs) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(worked, 4 * workMs)));
    this.#began = performance.now();
  }
}
