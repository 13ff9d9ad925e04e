/** Worker time of a lane per round, in milliseconds: enough for several typical calls. */
const quantumMs = 50;
/** Maximum number of idle lanes whose balance is kept. Beyond it, the oldest are dropped. */
const idleLanesMax = 1_000;

interface Lane<T> {
  readonly items: T[];
  /** Items that were taken out and not settled. */
  running: number;
  /** Worker time left to the lane as of `round`; negative if it used more than its quanta. */
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
 * Queue per lane, served by deficit round robin over worker time (Shreedhar and Varghese, 1995). The cost of an item is
 * known only at its end, so a lane is charged afterwards. A lane is served while its balance is positive. When no waiting
 * lane has a positive balance, a new round begins and adds one quantum to every lane.
 *
 * Lanes with fewer running items are served first, independent of their balance. A lane without a running item therefore
 * never waits for a second long item of another lane.
 *
 * On one worker, a lane that always waits gets at least the time of any other lane minus one quantum and one item. Leaving
 * and returning gains nothing: the balance of an idle lane is kept until later rounds have paid its debt.
 */
export class FairQueue<T> {
  readonly #quantumMs: number;
  readonly #idleLanesMax: number;
  readonly #lanes = new Map<string, Lane<T>>();
  /** Lanes with queued items, in round-robin order. */
  readonly #waiting = new Map<string, Lane<T>>();
  #round = 0;
  #length = 0;
  #running = 0;

  constructor(options: FairQueueOptions = {}) {
    this.#quantumMs = options.quantumMs ?? quantumMs;
    this.#idleLanesMax = options.idleLanesMax ?? idleLanesMax;
  }

  /** Number of queued items. */
  get length(): number {
    return this.#length;
  }

  /** Number of lanes in memory. */
  get lanes(): number {
    return this.#lanes.size;
  }

  push(name: string, item: T): void {
    const lane = this.#lane(name);
    lane.items.push(item);
    this.#waiting.set(name, lane);
    this.#length++;
  }

  /** Adds an item before all others of its lane: one that has run before and continues. */
  unshift(name: string, item: T): void {
    const lane = this.#lane(name);
    lane.items.unshift(item);
    this.#waiting.set(name, lane);
    this.#length++;
  }

  /**
   * Takes out the next item. The caller must call {@link settle} when it has ended.
   * @param isOpen reports whether a lane may be served, by its name and number of running items. Default: all lanes
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
    // Moves the lane to the end of the order, or removes it if it is empty.
    this.#waiting.delete(name);
    if (lane.items.length > 0) this.#waiting.set(name, lane);
    return item;
  }

  /** Charges a lane for an item that has ended. */
  settle(name: string, usedMs: number): void {
    const lane = this.#lanes.get(name);
    if (lane === undefined) return;
    this.#addQuanta(lane);
    lane.balanceMs -= usedMs;
    lane.running--;
    this.#running--;
    this.#dropIdleLanes(name, lane);
  }

  /** Removes a queued item; returns false if it is not queued. */
  remove(name: string, item: T): boolean {
    const lane = this.#waiting.get(name);
    const at = lane?.items.indexOf(item) ?? -1;
    if (lane === undefined || at === -1) return false;
    lane.items.splice(at, 1);
    this.#afterRemoval(name, lane);
    return true;
  }

  /**
   * Removes the newest item of the longest lane.
   * @param name lane that is chosen among lanes of equal length
   */
  evict(name: string): T | undefined {
    let longest = this.#waiting.get(name);
    let from = name;
    for (const [each, lane] of this.#waiting)
      if (longest === undefined || lane.items.length > longest.items.length) [from, longest] = [each, lane];
    const item = longest?.items.pop();
    if (longest !== undefined) this.#afterRemoval(from, longest);
    return item;
  }

  #afterRemoval(name: string, lane: Lane<T>): void {
    this.#length--;
    if (lane.items.length > 0) return;
    this.#waiting.delete(name);
    this.#dropIdleLanes(name, lane);
  }

  #lane(name: string): Lane<T> {
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = { items: [], running: 0, balanceMs: this.#quantumMs, round: this.#round };
      this.#lanes.set(name, lane);
    } else if (isIdle(lane)) {
      this.#addQuanta(lane);
      lane.balanceMs = Math.min(lane.balanceMs, this.#quantumMs);
    }
    return lane;
  }

  /** Adds the quanta of the rounds since the last update. */
  #addQuanta(lane: Lane<T>): void {
    lane.balanceMs += (this.#round - lane.round) * this.#quantumMs;
    lane.round = this.#round;
  }

  #roundsUntilServed(lane: Lane<T>): number {
    this.#addQuanta(lane);
    return lane.balanceMs > 0 ? 0 : Math.floor(-lane.balanceMs / this.#quantumMs) + 1;
  }

  /** Drops lanes that are idle, beyond the limit. */
  #dropIdleLanes(name: string, lane: Lane<T>): void {
    // Without queued or running items, no lane competes and all balances can be dropped.
    if (this.#length === 0 && this.#running === 0) this.#lanes.clear();
    if (!isIdle(lane) || this.#lanes.size <= this.#idleLanesMax) return;
    // The lane that became idle last is dropped last.
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
