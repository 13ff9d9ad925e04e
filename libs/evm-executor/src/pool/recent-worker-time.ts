/** Decayed worker time below which a lane is light, in milliseconds. */
const lightMs = 1_000;
/** Decay of the worker time, in milliseconds per millisecond. */
const forgottenShare = 0.25;
const lanesMax = 10_000;

/**
 * Recent worker time per lane, which decays by 250 ms per second. A lane is light below one second: a job of five seconds makes its
 * lane heavy for sixteen seconds.
 */
export class RecentWorkerTime {
  readonly #lanes = new Map<string, { readonly usedMs: number; readonly at: number }>();

  get lanes(): number {
    return this.#lanes.size;
  }

  /** @param at current time in milliseconds */
  isLight(name: string, at: number): boolean {
    return this.#usedMs(name, at) < lightMs;
  }

  add(name: string, usedMs: number, at: number): void {
    const sum = this.#usedMs(name, at) + usedMs;
    this.#lanes.delete(name);
    this.#lanes.set(name, { usedMs: sum, at });
    for (const [oldest, { usedMs: used, at: then }] of this.#lanes) {
      // Ordered by last use. A lane that used more decays later, so that the loop may stop before a decayed one.
      if (this.#lanes.size <= lanesMax && used > (at - then) * forgottenShare) break;
      this.#lanes.delete(oldest);
    }
  }

  #usedMs(name: string, at: number): number {
    const lane = this.#lanes.get(name);
    return lane === undefined ? 0 : Math.max(0, lane.usedMs - (at - lane.at) * forgottenShare);
  }
}
