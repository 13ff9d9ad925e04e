import type { Fullness } from '@cairn/blockstore';
import { StoreError } from '@cairn/embedded-store';
import type { PackWriter } from './types.ts';

/** Age of the sum at which a write reads it again. Several processes may exceed the limit by their writes of this time. */
const refreshEveryMs = 500;

/** The limit of the store, and the sum of its blocks as this process last read it. */
export class StoredBytes {
  readonly #bytesMax: number;
  readonly #read: () => Promise<number>;
  #bytes = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(read: () => Promise<number>, bytesMax = Number.POSITIVE_INFINITY) {
    this.#read = read;
    this.#bytesMax = bytesMax;
  }

  /** Returns the last known sum, and starts to read it where it is old. */
  fullness(pendingBytes: number): Fullness {
    if (this.#isOld) this.refresh().catch(() => {});
    return { bytes: this.#bytes + pendingBytes, bytesMax: this.#bytesMax };
  }

  /**
   * Near the limit, pending blocks are written first, since their sections are longer than the blocks and some may be known.
   * @throws STORE_FULL when `added` bytes exceed the limit
   */
  async check(added: number, writer: Pick<PackWriter, 'pendingBytes' | 'flush'>): Promise<void> {
    if (this.#bytesMax === Number.POSITIVE_INFINITY) return;
    if (this.#isOld) await this.refresh();
    if (this.#bytes + writer.pendingBytes + added <= this.#bytesMax) return;
    await writer.flush();
    await this.refresh();
    if (this.#bytes + added <= this.#bytesMax) return;
    const limit = `its limit of ${this.#bytesMax} bytes`;
    throw new StoreError('STORE_FULL', `The store holds ${this.#bytes} bytes; ${added} more would exceed ${limit}.`, {
      hint: 'Unpin unused content and collect garbage, or raise the limit of the store.',
      details: { stored: this.#bytes, added, bytesMax: this.#bytesMax },
    });
  }

  /** Reads the sum. Concurrent callers share a statement. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read()
      .then((bytes) => {
        this.#bytes = bytes;
        this.#readAt = performance.now();
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  get #isOld(): boolean {
    return performance.now() - this.#readAt > refreshEveryMs;
  }
}
