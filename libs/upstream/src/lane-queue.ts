interface Lane<Item> {
  readonly waiting: Item[];
  /** Items that were taken and have not ended. */
  running: number;
}

/** Item of a {@link LaneQueue}. The empty name is the lane of the process, which is never held back. */
export interface LaneItem {
  readonly lane: string;
}

export interface TakeOptions<Item> {
  /** Reports whether a further item fits. Called in order; the first misfit ends the turn. */
  readonly fits: (item: Item) => boolean;
  /** Only lanes without running items are served. */
  readonly isReserve: boolean;
}

/** Queue in which lanes take turns, so that a long lane delays the items of others by one turn at most. */
export class LaneQueue<Item extends LaneItem> {
  readonly #lengthMax: number;
  /** In the order of their turns. Lanes without waiting and running items are removed. */
  readonly #lanes = new Map<string, Lane<Item>>();
  #length = 0;

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Reports whether a lane may add no item. A lane below its even share may add also to a full queue, which has at most twice its
   * maximum length then.
   */
  isFullFor(name: string): boolean {
    if (this.#length < this.#lengthMax) return false;
    if (this.#length >= this.#lengthMax * 2) return true;
    const { length } = this.#lanes.get(name)?.waiting ?? [];
    return length >= this.#lengthMax / (this.#lanes.size + 1);
  }

  push(item: Item): void {
    this.#laneOf(item).waiting.push(item);
    this.#length++;
  }

  /** Puts taken items back to the start of their lanes. */
  putBack(items: readonly Item[]): void {
    for (const item of items.toReversed()) this.#laneOf(item).waiting.unshift(item);
    this.#length += items.length;
  }

  /** Takes one item of each lane in turn while they fit. {@link ended} must be called with each of them. */
  take({ fits, isReserve }: TakeOptions<Item>): Item[] {
    const taken: Item[] = [];
    let turns = [...this.#lanes].filter(([name, lane]) => this.#isServed(name, lane, isReserve));
    while (turns.length > 0) {
      for (const [name, lane] of turns) {
        const item = lane.waiting[0] as Item;
        if (!fits(item)) return taken;
        taken.push(item);
        lane.waiting.shift();
        lane.running++;
        this.#length--;
        // Its next turn is after those of the others.
        this.#lanes.delete(name);
        this.#lanes.set(name, lane);
      }
      turns = turns.filter(([, { waiting }]) => waiting.length > 0);
    }
    return taken;
  }

  /** Counts taken items as finished. */
  ended(items: readonly Item[]): void {
    for (const { lane: name } of items) {
      const lane = this.#lanes.get(name);
      if (lane === undefined) continue;
      lane.running--;
      if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(name);
    }
  }

  /** Removes all waiting items. */
  clear(): Item[] {
    const items = [...this.#lanes.values()].flatMap(({ waiting }) => waiting.splice(0));
    this.#length = 0;
    return items;
  }

  #isServed(name: string, { waiting, running }: Lane<Item>, isReserve: boolean): boolean {
    return waiting.length > 0 && (!isReserve || running === 0 || name === '');
  }

  #laneOf({ lane: name }: Item): Lane<Item> {
    const lane = this.#lanes.get(name) ?? { waiting: [], running: 0 };
    this.#lanes.set(name, lane);
    return lane;
  }
}
