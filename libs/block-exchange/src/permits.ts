interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

export interface LanePermitsOptions {
  /** Work that runs concurrently. */
  readonly permits: number;
  /** Work of one lane that runs concurrently. Default: all permits. */
  readonly permitsPerLane?: number;
}

/** Bounds concurrent work. Lanes take turns, so that a lane with much waiting work delays another by one turn at most. */
export class LanePermits {
  readonly #permits: number;
  readonly #permitsPerLane: number;
  /** In the order of their turns. Lanes without work are removed. */
  readonly #lanes = new Map<string, Lane>();
  #running = 0;

  constructor({ permits, permitsPerLane = permits }: LanePermitsOptions) {
    this.#permits = permits;
    this.#permitsPerLane = permitsPerLane;
  }

  get running(): number {
    return this.#running;
  }

  /** Number of waiting callers of all lanes. */
  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this.#lanes.values()) sum += waiting.length;
    return sum;
  }

  /** Runs work when a permit is free. @throws the reason of the signal while it waits */
  async run<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    await this.#acquire(name, signal);
    try {
      return await work();
    } finally {
      this.#release(name);
    }
  }

  #acquire(name: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = { running: 0, waiting: [] };
      this.#lanes.set(name, lane);
    }
    if (this.#running < this.#permits && lane.running < this.#permitsPerLane && lane.waiting.length === 0) {
      this.#begin(lane);
      return Promise.resolve();
    }
    return this.#wait(name, lane, signal);
  }

  #wait(name: string, lane: Lane, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        lane.waiting.splice(lane.waiting.indexOf(start), 1);
        this.#forget(name, lane);
        reject(signal?.reason);
      };
      lane.waiting.push(start);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #begin(lane: Lane): void {
    lane.running++;
    this.#running++;
  }

  #release(name: string): void {
    this.#running--;
    const lane = this.#lanes.get(name);
    if (lane !== undefined) {
      lane.running--;
      this.#forget(name, lane);
    }
    this.#startNext();
  }

  #forget(name: string, lane: Lane): void {
    if (lane.running === 0 && lane.waiting.length === 0 && this.#lanes.get(name) === lane) this.#lanes.delete(name);
  }

  #startNext(): void {
    for (const [name, lane] of this.#lanes) {
      if (this.#running >= this.#permits) return;
      if (lane.running >= this.#permitsPerLane) continue;
      const start = lane.waiting.shift();
      if (start === undefined) continue;
      this.#begin(lane);
      // Its next turn is after those of the others.
      this.#lanes.delete(name);
      this.#lanes.set(name, lane);
      start();
      return;
    }
  }
}
