interface Entry {
  readonly size: number | undefined;
  readonly until: number;
}

/**
 * Short memory of block lengths, so that equal questions of many peers cost one store read. Entries are in two generations, the
 * earlier of which is dropped as a whole: the search for the oldest entry of one map passes all that were deleted before it.
 */
export class PresenceCache {
  #entries = new Map<string, Entry>();
  #earlier = new Map<string, Entry>();
  readonly #generationMax: number;
  readonly #ms: number;

  constructor(limits: { readonly presencesMax: number; readonly presenceMs: number }) {
    this.#generationMax = Math.max(limits.presencesMax / 2, 1);
    this.#ms = limits.presenceMs;
  }

  /** Returns the length, undefined for an absent block, or `'unknown'`. */
  get(key: string): number | undefined | 'unknown' {
    const entry = this.#entries.get(key) ?? this.#earlier.get(key);
    return entry !== undefined && entry.until > performance.now() ? entry.size : 'unknown';
  }

  set(key: string, size: number | undefined): void {
    if (this.#entries.size >= this.#generationMax) {
      this.#earlier = this.#entries;
      this.#entries = new Map();
    }
    this.#entries.set(key, { size, until: performance.now() + this.#ms });
  }

  delete(key: string): void {
    this.#entries.delete(key);
    this.#earlier.delete(key);
  }
}
