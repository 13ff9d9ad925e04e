/**
 * Work that waits, one queue for each lane, served in turn: a lane with a thousand entries delays the others by one
 * entry each, not by a thousand.
 */
export class LaneQueue<T> {
  readonly #lanes = new Map<string, T[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(lane: string, item: T): void {
    const queue = this.#lanes.get(lane);
    if (queue) queue.push(item);
    else this.#lanes.set(lane, [item]);
    this.#length++;
  }

  /** The next item of the lane that has waited longest for its turn. */
  shift(): T | undefined {
    const next = this.#lanes.entries().next();
    if (next.done === true) return undefined;
    const [lane, queue] = next.value;
    const item = queue.shift();
    // To the end of the order, or out of it when empty.
    this.#lanes.delete(lane);
    if (queue.length > 0) this.#lanes.set(lane, queue);
    this.#length--;
    return item;
  }

  /** Takes an item out before its turn; false when it is not waiting. */
  remove(lane: string, item: T): boolean {
    const queue = this.#lanes.get(lane);
    const at = queue?.indexOf(item) ?? -1;
    if (queue === undefined || at === -1) return false;
    queue.splice(at, 1);
    if (queue.length === 0) this.#lanes.delete(lane);
    this.#length--;
    return true;
  }

  /**
   * Makes room for an item of `lane` in a full queue: takes out the newest of the longest lane, if that is longer than
   * this lane would become. `undefined` when this lane has its share already.
   */
  evictFor(lane: string): T | undefined {
    let longest: [string, T[]] | undefined;
    for (const entry of this.#lanes) if (longest === undefined || entry[1].length > longest[1].length) longest = entry;
    const own = this.#lanes.get(lane)?.length ?? 0;
    if (longest === undefined || longest[1].length <= own + 1) return undefined;
    const item = longest[1].pop();
    this.#length--;
    return item;
  }
}
