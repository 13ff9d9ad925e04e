import { BufferPool } from '@cairn/blockstore';
import { type ProcessGroup, shareOf, singleProcess } from '@cairn/service-kit';
import { PROCESSES, SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { StorageSettings } from '../settings.ts';
import { ApiError } from './api-error.ts';

/** About the blocks that wait for the disk: more would only occupy memory between uploads. */
const bufferBytesMax = 12 * 1024 * 1024;

/** Limits uploads: how many run concurrently, in all and per account, and how long each is. */
@Injectable()
export class Uploads {
  #running = 0;
  readonly #ofAccounts = new Map<string, number>();
  /** Buffers for the leaves of uploads. */
  readonly buffers: BufferPool;

  constructor(
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(PROCESSES) private readonly processes: ProcessGroup = singleProcess,
  ) {
    this.buffers = new BufferPool({ bytesMax: shareOf(bufferBytesMax, processes) });
  }

  /** Number of uploads under way. */
  get running(): number {
    return this.#running;
  }

  /**
   * Runs one upload. An account gets at most as many permits as stay free: alone half of them, and others always
   * find some.
   * @throws ApiError 429 while all permits, or those of the account, are in use
   */
  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const most = shareOf(this.settings.CAIRN_UPLOADS_MAX, this.processes);
    const own = this.#ofAccounts.get(accountId) ?? 0;
    const free = most - this.#running;
    if (own >= free) throw busy(free === 0 ? `${most} uploads` : `${own} uploads of this account`);
    this.#running++;
    this.#ofAccounts.set(accountId, own + 1);
    try {
      return await work();
    } finally {
      this.#running--;
      const left = (this.#ofAccounts.get(accountId) ?? 1) - 1;
      if (left === 0) this.#ofAccounts.delete(accountId);
      else this.#ofAccounts.set(accountId, left);
    }
  }

  /** Counts the bytes of one request, over all sources that pass through it. @throws ApiError 413 */
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

function busy(uploads: string): ApiError {
  return new ApiError(429, `${uploads} are under way, the most allowed; try again in a moment`, { 'retry-after': '1' });
}
