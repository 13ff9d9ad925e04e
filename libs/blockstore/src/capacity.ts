import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '@cairn/embedded-store';

export interface CapacityOptions {
  /** Limit of the sum of all block lengths, in bytes. Default: none. */
  readonly bytesMax?: number | undefined;
  /** Disk space that blocks must leave free, in bytes. Default 0. */
  readonly diskReserveBytes?: number | undefined;
}

/** Stored bytes and their limit. */
export interface Fullness {
  /** Sum of the lengths of all blocks, in bytes. */
  readonly bytes: number;
  /** Upper bound of that sum, from the limit and from the disk. Infinity where both are unknown. */
  readonly bytesMax: number;
}

const measureEveryMs = 250;
/** Ratio of used file bytes to block bytes. The rest of the file consists of free pages. */
const pageOverhead = 1.03;

/** Refuses blocks before the disk is full, so that other users of the disk keep working. */
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

  /** @throws STORE_FULL when `added` bytes on top of the `stored` ones exceed the limit */
  check(stored: number, added: number): void {
    this.#taken += added;
    const { bytesMax } = this.fullness(stored);
    if (stored + added <= bytesMax) return;
    this.#taken -= added;
    const isLimit = bytesMax === this.#bytesMax;
    const limit = isLimit ? `its limit of ${bytesMax} bytes` : 'the free disk space';
    throw new StoreError('STORE_FULL', `The store holds ${stored} bytes; ${added} more would exceed ${limit}.`, {
      hint: isLimit
        ? 'Unpin unused content and collect garbage, or raise the limit of the store.'
        : 'Free disk space, or unpin unused content and collect garbage.',
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

  /** Bytes that the disk has for blocks: free space beyond the reserve, plus free pages of the file. */
  #measure(stored: number): number {
    try {
      const { bavail, bsize } = statfsSync(this.#directory);
      const unused = Math.max(0, statSync(join(this.#directory, 'data.mdb')).size - stored * pageOverhead);
      return bavail * bsize - this.#diskReserveBytes + unused;
    } catch {
      // A file system without statistics is limited by `bytesMax` only.
      return Number.POSITIVE_INFINITY;
    }
  }
}
