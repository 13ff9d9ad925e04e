/** Sliding window of latencies with a moving average, in milliseconds. */
export class LatencyWindow {
  readonly #samples: number[] = [];
  readonly #size: number;
  #next = 0;
  #average = 0;
  #p95: number | undefined;

  constructor(size = 128) {
    this.#size = size;
  }

  add(ms: number): void {
    this.#average = this.#samples.length === 0 ? ms : this.#average * 0.9 + ms * 0.1;
    this.#samples[this.#next] = ms;
    this.#next = (this.#next + 1) % this.#size;
    this.#p95 = undefined;
  }

  /** Exponential moving average; 0 without samples. */
  get average(): number {
    return this.#average;
  }

  /** 95th percentile of the window; undefined with fewer than eight samples. */
  get p95(): number | undefined {
    if (this.#samples.length < 8) return undefined;
    this.#p95 ??= [...this.#samples].sort((a, b) => a - b)[Math.ceil(this.#samples.length * 0.95) - 1];
    return this.#p95;
  }
}
