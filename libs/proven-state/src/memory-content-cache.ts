import { type ContentCache, keyOf } from './content-cache.ts';

/** Share of the cache that is evicted together. */
const evictedShare = 1 / 64;

/** Content cache in memory with a byte limit. Evicts the least recently used content. */
export class MemoryContentCache implements ContentCache {
  /** Ordered by last use. */
  readonly #content = new Map<string, Uint8Array>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor({ bytesMax }: { readonly bytesMax: number }) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(hash: Uint8Array): Uint8Array | undefined {
    const key = keyOf(hash);
    const content = this.#content.get(key);
    if (content !== undefined) {
      this.#content.delete(key);
      this.#content.set(key, content);
    }
    return content;
  }

  find(name: Uint8Array): Uint8Array | undefined {
    return this.get(name);
  }

  put(hash: Uint8Array, content: Uint8Array): void {
    const key = keyOf(hash);
    if (this.#content.has(key)) return;
    this.#content.set(key, content);
    this.#bytes += content.length;
    if (this.#bytes > this.#bytesMax) this.#evict(key);
  }

  /**
   * Evicts some contents more than needed: a search for the oldest one passes all entries that were deleted before it, 100
   * microseconds in a cache of 262,144 entries.
   */
  #evict(newest: string): void {
    const bytesMax = this.#bytesMax * (1 - evictedShare);
    for (const [oldest, { length }] of this.#content) {
      if (this.#bytes <= bytesMax || oldest === newest) return;
      this.#content.delete(oldest);
      this.#bytes -= length;
    }
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {}
}
