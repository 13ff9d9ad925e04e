/** Number of responses that may hold a block in memory while their client does not read. */
const permitsMax = 16;

/** Milliseconds that a client may take no byte while other responses wait for its permit. */
export const stallMs = 20_000;

/**
 * Permits to hold a block while a client reads it. A block has up to 2 MiB, so without a bound 2,000 slow clients would hold
 * 4 GiB.
 */
export class SendPermits {
  readonly #max: number;
  #taken = 0;
  readonly #waiting = new Set<() => void>();

  constructor(max = permitsMax) {
    this.#max = max;
  }

  /** Reports whether responses wait. */
  get hasWaiters(): boolean {
    return this.#waiting.size > 0;
  }

  /** Reports whether few permits are left, so that reading ahead would hold too many blocks. */
  get isScarce(): boolean {
    return this.#taken * 2 >= this.#max;
  }

  /** Takes a permit if one is free and no response waits. */
  tryTake(): boolean {
    if (this.#taken >= this.#max || this.hasWaiters) return false;
    this.#taken++;
    return true;
  }

  /** Waits for a permit, in order. @throws the reason of the signal */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.tryTake()) return;
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const stop = () => {
        this.#waiting.delete(go);
        reject(signal.reason);
      };
      this.#waiting.add(go);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  /** Returns a permit, to the response that waits longest. */
  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
