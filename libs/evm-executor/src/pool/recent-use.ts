/** Worker time that a lane may have used of late and count as light, in milliseconds. */
const lightMs = 1_000;
/** Worker time that is forgotten in each millisecond. */
const forgottenShare = 0.25;
const lanesMax = 10_000;

/**
 * Worker time that lanes have used of late: it fades at a quarter of a worker. A lane is light while less than a second of
 * it is left, so that one job of five seconds keeps its lane from being light for sixteen.
 */
export class RecentUse {
  readonly #lanes = new Map<string, { readonly usedMs: number; readonly at: number }>();

  get lanes(): number {
    return this.#lanes.size;
  }

  /** @param at the time, in milliseconds */
  isLight(name: string, at: number): boolean {
    return this.#usedMs(name, at) < lightMs;
  }

  add(name: string, usedMs: number, at: number): void {
    const sum = this.#usedMs(name, at) + usedMs;
    this.#lanes.delete(name);
    this.#lanes.set(name, { usedMs: sum, at });
    for (const [oldest, { usedMs: used, at: then }] of this.#lanes) {
      // The oldest are first, though one that has used more fades later.
      if (this.#lanes.size <= lanesMax && used > (at - then) * forgottenShare) break;
      this.#lanes.delete(oldest);
    }
  }

  #usedMs(name: string, at: number): number {
    const lane = this.#lanes.get(name);
    return lane === undefined ? 0 : Math.max(0, lane.usedMs - (at - lane.at) * forgottenShare);
  }
}
