import type { Settings } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from './api-error.ts';

/** Holds uploads to the limits of the service: how many at once, and how long each. */
@Injectable()
export class Uploads {
  #running = 0;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** How many are under way. */
  get running(): number {
    return this.#running;
  }

  /** Runs one upload. @throws ApiError 429 while as many as are allowed are under way */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { CAIRN_UPLOADS_MAX: most } = this.settings;
    if (this.#running >= most) {
      throw new ApiError(429, `${most} uploads are under way, the most allowed; try again in a moment`, {
        'retry-after': '1',
      });
    }
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
    }
  }

  /** Counts the bytes of one request, over all sources that are passed through it. @throws ApiError 413 */
  limiter(): (source: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array> {
    const { CAIRN_UPLOAD_BYTES_MAX: most } = this.settings;
    let received = 0;
    return async function* (source) {
      for await (const bytes of source) {
        received += bytes.length;
        if (received > most) {
          throw new ApiError(
            413,
            `the upload is longer than ${most} bytes, the limit of this service (CAIRN_UPLOAD_BYTES_MAX)`,
          );
        }
        yield bytes;
      }
    };
  }
}
