/** Longest pause of one step in milliseconds, so that a change of the clock can not stop a transfer. */
const pauseMsMax = 1000;

/** Token bucket: bytes per second with a burst of one second. */
export class ByteRate {
  readonly #perSecond: number;
  readonly #now: () => number;
  #tokens: number;
  #at: number;

  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
    this.#tokens = perSecond;
    this.#at = now();
  }

  /** Counts bytes. The balance may become negative. */
  take(bytes: number): void {
    this.#refill();
    this.#tokens -= bytes;
  }

  /** Milliseconds until the balance is positive, 0 if it is. */
  get waitMs(): number {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return 0;
    this.#refill();
    if (this.#tokens >= 0) return 0;
    return Math.min(pauseMsMax, Math.max(1, (-this.#tokens / this.#perSecond) * 1000));
  }

  /** Resolves when the balance is positive. */
  async settled(): Promise<void> {
    for (let ms = this.waitMs; ms > 0; ms = this.waitMs)
      await new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
  }

  #refill(): void {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return;
    const now = this.#now();
    const added = (Math.max(0, now - this.#at) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#perSecond, this.#tokens + added);
    this.#at = now;
  }
}
