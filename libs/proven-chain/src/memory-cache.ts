/** Least recently used values with a bound on the sum of their sizes. */
export class MemoryCache<T> {
  readonly #values = new Map<string, { readonly value: T; readonly size: number }>();
  readonly #sizeMax: number;
  #size = 0;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get(key: string): T | undefined {
    const entry = this.#values.get(key);
    if (entry === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, entry);
    return entry.value;
  }

  set(key: string, value: T, size: number): void {
    if (this.#values.has(key) || size > this.#sizeMax) return;
    this.#values.set(key, { value, size });
    this.#size += size;
    for (const [oldest, entry] of this.#values) {
      if (this.#size <= this.#sizeMax) break;
      this.#values.delete(oldest);
      this.#size -= entry.size;
    }
  }
}
