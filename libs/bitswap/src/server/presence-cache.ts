/** Short memory of block lengths, so that equal questions of many peers cost one store read. */
export class PresenceCache {
  readonly #entries = new Map<string, { readonly size: number | undefined; readonly until: number }>();
  readonly #entriesMax: number;
  readonly #ms: number;

  constructor(limits: { readonly presencesMax: number; readonly presenceMs: number }) {
    this.#entriesMax = limits.presencesMax;
    this.#ms = limits.presenceMs;
  }

  /** Returns the length, undefined for an absent block, or `'unknown'`. */
  get(key: string): number | undefined | 'unknown' {
    const entry = this.#entries.get(key);
    if (entry === undefined) return 'unknown';
    if (entry.until > performance.now()) return entry.size;
    this.#entries.delete(key);
    return 'unknown';
  }

  set(key: string, size: number | undefined): void {
    this.#entries.delete(key);
    this.#entries.set(key, { size, until: performance.now() + this.#ms });
    if (this.#entries.size <= this.#entriesMax) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
