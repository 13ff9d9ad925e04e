import type { Fullness } from '@cairn/blockstore';
import { StoreError } from '@cairn/embedded-store';

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

  /** @throws STORE_FULL when `added` bytes exceed the limit */
  async check(pendingBytes: number, added: number): Promise<void> {
    if (this.#bytesMax === Number.POSITIVE_INFINITY) return;
    if (this.#isOld || !this.#fits(pendingBytes, added)) await this.refresh();
    if (this.#fits(pendingBytes, added)) return;
    const stored = this.#bytes + pendingBytes;
    const message = `The store holds ${stored} bytes; ${added} more would exceed its limit of ${this.#bytesMax} bytes.`;
    throw new StoreError('STORE_FULL', message, {
      hint: 'Unpin unused content and collect garbage, or raise the limit of the store.',
      details: { stored, added, bytesMax: this.#bytesMax },
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

  #fits(pendingBytes: number, added: number): boolean {
    return this.#bytes + pendingBytes + added <= this.#bytesMax;
  }
}
