import type { PointPair } from './point-pair.ts';

/** Lines of a point of G2 in the memory. */
export interface Lines {
  /** Address of the first line. */
  readonly address: number;
  /** Bytes from one line to the next; 0 if each line replaces the one before. */
  readonly step: number;
  /** The lines are in the memory, or a former pair of the batch computes them. */
  readonly isKnown: boolean;
}

/**
 * Places for the lines of points of G2, which do not depend on the points of G1. Verifiers of proofs pass the same points of G2 each
 * time: a product of four pairs takes a sixth less (tools/bench/pairings.mjs). The point that was not used for the longest time is forgotten first.
 */
export class KnownLines {
  /** Addresses of the lines by point. */
  readonly #known = new Map<string, number>();
  readonly #free: number[];
  readonly #bytes: number;
  readonly #scratch: number;

  /** @param bytes of one line @param scratch address of a line of points that have no place */
  constructor(addresses: readonly number[], bytes: number, scratch: number) {
    this.#free = [...addresses];
    this.#bytes = bytes;
    this.#scratch = scratch;
  }

  /** Places of the lines of a batch. They are known to the next batch once the caller has written them. */
  claim(pairs: readonly PointPair[]): Lines[] {
    const claimed = new Set<string>();
    return pairs.map(({ q }) => {
      const key = q.flat().join(' ');
      const found = this.#known.get(key);
      const address = found ?? this.#take(claimed);
      if (address === undefined) return { address: this.#scratch, step: 0, isKnown: false };
      this.#known.delete(key);
      this.#known.set(key, address);
      claimed.add(key);
      return { address, step: this.#bytes, isKnown: found !== undefined };
    });
  }

  #take(claimed: ReadonlySet<string>): number | undefined {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    for (const [key, address] of this.#known) {
      if (claimed.has(key)) continue;
      this.#known.delete(key);
      return address;
    }
    return undefined;
  }
}
