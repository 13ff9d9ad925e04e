import { latin1FromBytes } from '@cairn/platform';

/** Encoded points that passed an expensive check; the least recently used one is forgotten first. */
export class KnownPoints {
  readonly #keys = new Set<string>();
  readonly #countMax: number;

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  /** Reports whether the point passed the check, and marks it as used. */
  has(point: Uint8Array): boolean {
    const key = latin1FromBytes(point);
    if (!this.#keys.delete(key)) return false;
    this.#keys.add(key);
    return true;
  }

  add(point: Uint8Array): void {
    this.#keys.add(latin1FromBytes(point));
    if (this.#keys.size <= this.#countMax) return;
    const [oldest] = this.#keys;
    if (oldest !== undefined) this.#keys.delete(oldest);
  }
}
