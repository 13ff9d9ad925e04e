/**
 * Keeps transactions and the opening of stores apart, in one thread.
 *
 * lmdb opens a database in a transaction that waits for other writers without returning to the event loop. The action of a running
 * transaction of another store runs in the event loop, so this thread would hold one store while it waits for another. Two
 * processes that do so crosswise never continue. Each opening therefore waits for the running transactions of all stores, and
 * later ones wait for it.
 */
export class OpeningGate {
  #transactions = 0;
  /** Ends of the openings that run or wait, in their order. */
  #openings = Promise.resolve();
  #waiting = 0;
  #onIdle: (() => void) | undefined;

  /** Resolves when no opening runs or waits, after transactions that wait for the same. */
  async opened(): Promise<void> {
    while (this.#waiting > 0) await this.#openings;
  }

  /** Runs a transaction. */
  async transaction<T>(run: () => Promise<T>): Promise<T> {
    if (this.#waiting > 0) await this.opened();
    this.#transactions++;
    try {
      return await run();
    } finally {
      if (--this.#transactions === 0) this.#onIdle?.();
    }
  }

  /**
   * Runs an opening. What follows it in the same turn of the event loop, such as opening databases of the store, is part of it.
   * An opening must not start another one.
   */
  async open<T>(run: () => Promise<T>): Promise<T> {
    const before = this.#openings;
    let end = () => {};
    this.#waiting++;
    this.#openings = new Promise((resolve) => {
      end = resolve;
    });
    try {
      await before;
      if (this.#transactions > 0)
        await new Promise<void>((resolve) => {
          this.#onIdle = resolve;
        });
      this.#onIdle = undefined;
      return await run();
    } finally {
      setImmediate(() => {
        this.#waiting--;
        end();
      });
    }
  }
}

/** The gate of this thread. */
export const openingGate = new OpeningGate();
