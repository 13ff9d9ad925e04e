import { ApiError } from './api-error.ts';

export interface UploadRateGuardOptions {
  /** Milliseconds of waiting for the client after which its bytes are checked. */
  readonly windowMs: number;
  /** Fewer bytes in a window end the upload. */
  readonly bytesMin: number;
}

/** 1 KiB per second over half a minute: a mobile connection of 2003 is faster. */
const uploadPace: UploadRateGuardOptions = { windowMs: 30_000, bytesMin: 30 * 1024 };

/**
 * Measures how fast a body arrives. It counts only the time in which the service waits for the client, so that its
 * own work and the back-pressure of the disk end no upload.
 */
export class UploadRateGuard {
  readonly #options: UploadRateGuardOptions;
  readonly #now: () => number;
  #waitedMs = 0;
  #bytes = 0;

  /** @param now milliseconds. Default: the monotonic clock */
  constructor(options: UploadRateGuardOptions = uploadPace, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /**
   * Starts to wait for a chunk. Call the returned function with the chunk's length, or without one when the body has
   * ended.
   * @param onSlow called with the reason when the window ends with too few bytes
   */
  wait(onSlow: (reason: ApiError) => void): (bytes: number | undefined) => void {
    const { windowMs } = this.#options;
    const start = this.#now();
    let timer: NodeJS.Timeout;
    const look = () => {
      const leftMs = windowMs - this.#waitedMs - (this.#now() - start);
      if (leftMs > 0) timer = setTimeout(look, leftMs).unref();
      else if (this.#isSlow) onSlow(this.#refusal());
    };
    timer = setTimeout(look, windowMs - this.#waitedMs).unref();
    return (bytes) => {
      clearTimeout(timer);
      if (bytes === undefined) return;
      this.#waitedMs += this.#now() - start;
      this.#bytes += bytes;
      if (this.#waitedMs < windowMs) return;
      if (this.#isSlow) onSlow(this.#refusal());
      this.#waitedMs = 0;
      this.#bytes = 0;
    };
  }

  get #isSlow(): boolean {
    return this.#bytes < this.#options.bytesMin;
  }

  #refusal(): ApiError {
    const { windowMs, bytesMin } = this.#options;
    return new ApiError(
      408,
      `${this.#bytes} bytes of the body arrived within ${windowMs / 1000} s; send at least ${bytesMin} in that time`,
    );
  }
}
