import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '@cairn/embedded-store';

export interface CapacityOptions {
  /** Sum of the lengths of all blocks, in bytes, beyond which no block is taken. Default: no limit. */
  readonly bytesMax?: number | undefined;
  /** Bytes of the disk that are left free for everything else. Default 0. */
  readonly diskReserveBytes?: number | undefined;
}

/** How full a store is. */
export interface Fullness {
  /** Sum of the lengths of all blocks, in bytes. */
  readonly bytes: number;
  /** What that sum may become, by the limit and by the disk; Infinity where neither tells. */
  readonly bytesMax: number;
}

const measureEveryMs = 250;
/** Pages hold some bytes beside the blocks: what the file has beyond this many times the blocks is free to be used again. */
const pageOverhead = 1.03;

/** Refuses blocks before the disk is full, so that everything else that needs the disk goes on. */
export class Capacity {
  readonly #directory: string;
  readonly #bytesMax: number;
  readonly #diskReserveBytes: number;
  #room = Number.POSITIVE_INFINITY;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #taken = 0;

  constructor(directory: string, { bytesMax = Number.POSITIVE_INFINITY, diskReserveBytes = 0 }: CapacityOptions) {
    this.#directory = directory;
    this.#bytesMax = bytesMax;
    this.#diskReserveBytes = diskReserveBytes;
  }

  /** @throws STORE_FULL when `added` bytes beside the `stored` ones are too many */
  check(stored: number, added: number): void {
    this.#taken += added;
    const { bytesMax } = this.fullness(stored);
    if (stored + added <= bytesMax) return;
    this.#taken -= added;
    const isLimit = bytesMax === this.#bytesMax;
    const limit = isLimit ? `its limit of ${bytesMax} bytes` : 'what the disk has left';
    throw new StoreError('STORE_FULL', `The store holds ${stored} bytes; ${added} more go beyond ${limit}.`, {
      hint: isLimit
        ? 'Unpin what is not needed and collect garbage, or raise the limit of the store.'
        : 'Free disk space, or unpin what is not needed and collect garbage.',
      details: { directory: this.#directory, stored, added, bytesMax },
    });
  }

  fullness(stored: number): Fullness {
    const now = performance.now();
    if (now - this.#measuredAt > measureEveryMs) {
      this.#room = this.#measure(stored);
      this.#measuredAt = now;
      this.#taken = 0;
    }
    return { bytes: stored, bytesMax: Math.min(this.#bytesMax, Math.max(0, stored + this.#room - this.#taken)) };
  }

  /** Bytes that the disk has for blocks: what is free beyond the reserve, and pages of the file that are in no use. */
  #measure(stored: number): number {
    try {
      const { bavail, bsize } = statfsSync(this.#directory);
      const unused = Math.max(0, statSync(join(this.#directory, 'data.mdb')).size - stored * pageOverhead);
      return bavail * bsize - this.#diskReserveBytes + unused;
    } catch {
      // A file system that does not tell has only the limit in bytes.
      return Number.POSITIVE_INFINITY;
    }
  }
}
