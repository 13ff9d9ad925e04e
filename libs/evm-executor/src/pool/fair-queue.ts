/** Worker time that a lane may use in one round, in milliseconds: most calls take less, and several of them fit. */
const quantumMs = 50;
/** Lanes without work whose use is remembered. Beyond that the oldest are forgotten. */
const idleLanesMax = 1_000;

interface Lane<T> {
  readonly items: T[];
  /** Items that were taken out and are not settled. */
  running: number;
  /** Worker time that is left to the lane as of `round`; below zero for what it owes. */
  balanceMs: number;
  round: number;
}

export interface FairQueueOptions {
  /** Default 50 ms. */
  readonly quantumMs?: number;
  /** Default 1,000. */
  readonly idleLanesMax?: number;
}

/**
 * Work that waits, one queue for each lane, served by deficit round robin over the time that workers spend (Shreedhar and
 * Varghese, 1995). What an item takes is not known before it ends, so that a lane pays afterwards: it is served while its
 * balance is above zero, and a lane that has used much waits while the others use their quanta. A new round adds a quantum
 * to the balance of every lane; it begins when no lane that waits has any left.
 *
 * Lanes that hold fewer workers go first, whatever their balance: one item of several seconds must not be joined by
 * another one of its lane while a lane that holds no worker waits.
 *
 * A lane that waits all the time gets, on one worker, no less than any other lane minus one quantum and one item. To leave
 * and to come back gains nothing: what a lane has used is remembered until rounds have paid it.
 */
export class FairQueue<T> {
  readonly #quantumMs: number;
  readonly #idleLanesMax: number;
  readonly #lanes = new Map<string, Lane<T>>();
  /** Lanes that have items, in the order of their turns. */
  readonly #waiting = new Map<string, Lane<T>>();
  #round = 0;
  #length = 0;
  #running = 0;

  constructor(options: FairQueueOptions = {}) {
    this.#quantumMs = options.quantumMs ?? quantumMs;
    this.#idleLanesMax = options.idleLanesMax ?? idleLanesMax;
  }

  /** Items that wait. */
  get length(): number {
    return this.#length;
  }

  /** Lanes that are remembered. */
  get lanes(): number {
    return this.#lanes.size;
  }

  push(name: string, item: T): void {
    const lane = this.#lane(name);
    lane.items.push(item);
    this.#waiting.set(name, lane);
    this.#length++;
  }

  /**
   * Takes out the next item. Each has to be settled when it has ended.
   * @param isOpen which lanes may be served, by name and by items that are running. Default: all
   */
  shift(isOpen?: (name: string, running: number) => boolean): T | undefined {
    let next: readonly [string, Lane<T>] | undefined;
    let rounds = 0;
    for (const entry of this.#waiting) {
      const [name, lane] = entry;
      if (isOpen !== undefined && !isOpen(name, lane.running)) continue;
      const needed = this.#roundsUntilServed(lane);
      if (next !== undefined) {
        const more = lane.running - next[1].running;
        if (more > 0 || (more === 0 && needed >= rounds)) continue;
      }
      next = entry;
      rounds = needed;
    }
    if (next === undefined) return undefined;
    this.#round += rounds;
    return this.#take(...next);
  }

  #take(name: string, lane: Lane<T>): T | undefined {
    const item = lane.items.shift();
    lane.running++;
    this.#running++;
    this.#length--;
    // To the end of the order, or out of it when empty.
    this.#waiting.delete(name);
    if (lane.items.length > 0) this.#waiting.set(name, lane);
    return item;
  }

  /** Notes that an item of a lane has ended, and the worker time that it took. */
  settle(name: string, usedMs: number): void {
    const lane = this.#lanes.get(name);
    if (lane === undefined) return;
    this.#catchUp(lane);
    lane.balanceMs -= usedMs;
    lane.running--;
    this.#running--;
    this.#forget(name, lane);
  }

  /** Takes an item out before its turn; false when it is not waiting. */
  remove(name: string, item: T): boolean {
    const lane = this.#waiting.get(name);
    const at = lane?.items.indexOf(item) ?? -1;
    if (lane === undefined || at === -1) return false;
    lane.items.splice(at, 1);
    this.#left(name, lane);
    return true;
  }

  /**
   * Takes out the newest item of the longest lane.
   * @param name the lane that gives way among those of the same length
   */
  evict(name: string): T | undefined {
    let longest = this.#waiting.get(name);
    let from = name;
    for (const [each, lane] of this.#waiting)
      if (longest === undefined || lane.items.length > longest.items.length) [from, longest] = [each, lane];
    const item = longest?.items.pop();
    if (longest !== undefined) this.#left(from, longest);
    return item;
  }

  #left(name: string, lane: Lane<T>): void {
    this.#length--;
    if (lane.items.length > 0) return;
    this.#waiting.delete(name);
    this.#forget(name, lane);
  }

  #lane(name: string): Lane<T> {
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = { items: [], running: 0, balanceMs: this.#quantumMs, round: this.#round };
      this.#lanes.set(name, lane);
    } else if (isIdle(lane)) {
      this.#catchUp(lane);
      lane.balanceMs = Math.min(lane.balanceMs, this.#quantumMs);
    }
    return lane;
  }

  /** Adds what the rounds since have brought. */
  #catchUp(lane: Lane<T>): void {
    lane.balanceMs += (this.#round - lane.round) * this.#quantumMs;
    lane.round = this.#round;
  }

  #roundsUntilServed(lane: Lane<T>): number {
    this.#catchUp(lane);
    return lane.balanceMs > 0 ? 0 : Math.floor(-lane.balanceMs / this.#quantumMs) + 1;
  }

  /** Drops what is no longer needed of a lane that may have become idle. */
  #forget(name: string, lane: Lane<T>): void {
    // Without any work there is no share to owe.
    if (this.#length === 0 && this.#running === 0) this.#lanes.clear();
    if (!isIdle(lane) || this.#lanes.size <= this.#idleLanesMax) return;
    // The youngest of the idle ones is the last.
    this.#lanes.delete(name);
    this.#lanes.set(name, lane);
    for (const [oldest, each] of this.#lanes) {
      if (this.#lanes.size <= this.#idleLanesMax) break;
      if (isIdle(each)) this.#lanes.delete(oldest);
    }
  }
}

function isIdle<T>({ items, running }: Lane<T>): boolean {
  return items.length === 0 && running === 0;
}
