import type { UpstreamLimits } from './limits.ts';

/** Bytes that an upstream may send without being asked: a token bucket. */
export class NoticeBudget {
  readonly #bytesMax: number;
  readonly #bytesPerMs: number;
  #bytes: number;
  #filledAt = performance.now();

  constructor({ noticeBytesMax, noticeBytesPerSecond }: UpstreamLimits) {
    this.#bytesMax = noticeBytesMax;
    this.#bytesPerMs = noticeBytesPerSecond / 1000;
    this.#bytes = noticeBytesMax;
  }

  has(bytes: number): boolean {
    const now = performance.now();
    this.#bytes = Math.min(this.#bytesMax, this.#bytes + (now - this.#filledAt) * this.#bytesPerMs);
    this.#filledAt = now;
    return bytes <= this.#bytes;
  }

  /** Returns false, and takes nothing, for more bytes than are left. */
  take(bytes: number): boolean {
    const isLeft = this.has(bytes);
    if (isLeft) this.#bytes -= bytes;
    return isLeft;
  }
}
