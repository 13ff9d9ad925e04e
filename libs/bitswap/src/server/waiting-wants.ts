import type { ServerWant } from './ledger.ts';

/** Wants of absent blocks by block. */
export class WaitingWants {
  readonly #byKey = new Map<string, Set<ServerWant>>();

  get size(): number {
    return this.#byKey.size;
  }

  add(want: ServerWant): void {
    const wants = this.#byKey.get(want.key);
    if (wants === undefined) this.#byKey.set(want.key, new Set([want]));
    else wants.add(want);
  }

  delete(want: ServerWant): void {
    const wants = this.#byKey.get(want.key);
    if (wants?.delete(want) && wants.size === 0) this.#byKey.delete(want.key);
  }

  /** Removes and returns the wants of a block. */
  take(key: string): Iterable<ServerWant> {
    const wants = this.#byKey.get(key) ?? [];
    this.#byKey.delete(key);
    return wants;
  }

  /** Returns one want per block for the next `max` blocks, and moves these blocks to the end. */
  rotate(max: number): ServerWant[] {
    const sample: ServerWant[] = [];
    for (const [key, wants] of this.#byKey) {
      if (sample.length >= Math.min(max, this.#byKey.size)) break;
      const [first] = wants;
      if (first !== undefined) sample.push(first);
      this.#byKey.delete(key);
      this.#byKey.set(key, wants);
    }
    return sample;
  }
}
