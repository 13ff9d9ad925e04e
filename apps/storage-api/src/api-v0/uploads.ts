import { BufferPool } from '@cairn/blockstore';
import { beforeIdleCollection, type ProcessGroup, shareOf, singleProcess } from '@cairn/service-kit';
import { PROCESSES, SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { StorageSettings } from '../settings.ts';
import { ApiError } from './api-error.ts';

/** About the blocks that wait for the disk: more would only occupy memory between uploads. */
const bufferBytesMax = 12 * 1024 * 1024;

/** Permits of each process at least: connections are not divided evenly among processes. */
const permitsMin = 16;
/** Time in milliseconds that an upload waits for a permit. Short uploads of the account give theirs back meanwhile. */
const waitMs = 1_000;

/** Upload that waits for a permit. */
interface Waiting {
  readonly accountId: string;
  readonly start: () => void;
}

/** Limits uploads: how many run concurrently, in all and per account, and how long each is. */
@Injectable()
export class Uploads {
  /** Permits of this process. */
  readonly #most: number;
  #running = 0;
  readonly #ofAccounts = new Map<string, number>();
  /** Waiting uploads, oldest first; at most as many as may run. */
  readonly #waiting = new Set<Waiting>();
  /** Buffers for the leaves of uploads. */
  readonly buffers: BufferPool;

  constructor(
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(PROCESSES) processes: ProcessGroup = singleProcess,
  ) {
    const { CAIRN_UPLOADS_MAX: uploadsMax } = settings;
    this.#most = Math.max(shareOf(uploadsMax, processes), Math.min(uploadsMax, permitsMin));
    this.buffers = new BufferPool({ bytesMax: shareOf(bufferBytesMax, processes) });
    beforeIdleCollection(() => this.buffers.clear());
  }

  /** Number of uploads under way. */
  get running(): number {
    return this.#running;
  }

  /**
   * Runs one upload. An account gets at most as many permits as stay free: alone half of them, and others always
   * find some.
   * @throws ApiError 429 while all permits, or those of the account, are in use for a second
   */
  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    if (!this.#take(accountId)) await this.#wait(accountId);
    try {
      return await work();
    } finally {
      this.#giveBack(accountId);
    }
  }

  #take(accountId: string): boolean {
    const own = this.#ofAccounts.get(accountId) ?? 0;
    if (own >= this.#most - this.#running) return false;
    this.#running++;
    this.#ofAccounts.set(accountId, own + 1);
    return true;
  }

  #wait(accountId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.size >= this.#most) return reject(this.#busy(accountId));
      const waiting = {
        accountId,
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(this.#busy(accountId));
      }, waitMs);
      this.#waiting.add(waiting);
    });
  }

  #giveBack(accountId: string): void {
    this.#running--;
    const left = (this.#ofAccounts.get(accountId) ?? 1) - 1;
    if (left === 0) this.#ofAccounts.delete(accountId);
    else this.#ofAccounts.set(accountId, left);
    for (const waiting of this.#waiting) {
      if (!this.#take(waiting.accountId)) continue;
      this.#waiting.delete(waiting);
      waiting.start();
    }
  }

  #busy(accountId: string): ApiError {
    const own = this.#ofAccounts.get(accountId) ?? 0;
    const uploads = this.#running >= this.#most ? `${this.#most} uploads` : `${own} uploads of this account`;
    const message = `${uploads} are under way, the most allowed; try again in a moment`;
    return new ApiError(429, message, { 'retry-after': '1' });
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
