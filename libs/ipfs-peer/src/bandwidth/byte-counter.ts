/** Seconds over which a rate is averaged. */
const windowSeconds = 10;

/** Counts bytes in one direction: their sum, and their rate over the last seconds. */
export class ByteCounter {
  total = 0;
  readonly #seconds = new Float64Array(windowSeconds);
  #latest = 0;

  /** @param now milliseconds */
  add(bytes: number, now: number): void {
    this.total += bytes;
    this.#advance(now);
    const at = this.#latest % windowSeconds;
    this.#seconds[at] = (this.#seconds[at] ?? 0) + bytes;
  }

  /** Bytes per second. */
  rate(now: number): number {
    this.#advance(now);
    return this.#seconds.reduce((sum, bytes) => sum + bytes, 0) / windowSeconds;
  }

  /** Clears the seconds that have passed since the last call. */
  #advance(now: number): void {
    const second = Math.floor(now / 1000);
    const passed = Math.min(windowSeconds, second - this.#latest);
    for (let step = 1; step <= passed; step++) this.#seconds[(this.#latest + step) % windowSeconds] = 0;
    if (passed === windowSeconds) this.#seconds.fill(0);
    this.#latest = Math.max(this.#latest, second);
  }
}
