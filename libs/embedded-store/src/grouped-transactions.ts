// Hot path of small adds: a transaction of its own for each pin takes a nested transaction of LMDB with 2 MiB of lists, and some
// promises. The bench is tools/bench/peers.mjs, row `add 4 KiB`; grouped-transactions.spec.ts compares it with single ones.

interface Job {
  readonly action: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Outcome {
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface GroupedTransactionsOptions {
  /** Runs an atomic transaction; resolves when it is durable. */
  readonly transaction: <T>(action: () => T) => Promise<T>;
  /** Number of writes in transactions so far. */
  readonly writes: () => number;
}

/** Actions of one transaction. It blocks the event loop for about 10 ms at this number. */
const jobsMax = 128;

/** An action failed after its first write, so that the transaction of its group cannot be committed. */
class PartialWriteError extends Error {}

/**
 * Runs actions that arrive during one commit, or in one turn of the event loop, in one transaction. It is requested during that
 * commit, and takes the actions that wait when it starts.
 *
 * Each action is atomic for itself: one that throws before its first write ends alone. If any other error occurs, the transaction
 * is rolled back, and each action runs in a transaction of its own. Actions can thus run twice and must have no effects outside of
 * the transaction.
 */
export class GroupedTransactions {
  readonly #options: GroupedTransactionsOptions;
  #waiting: Job[] = [];
  /** True from the request of a transaction until it takes its actions. */
  #isRequested = false;

  constructor(options: GroupedTransactionsOptions) {
    this.#options = options;
  }

  /** @returns the result of `action`, after the commit is durable. @throws the error of `action` or of the commit */
  run<T>(action: () => T): Promise<T> {
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ action, resolve, reject });
      this.#request();
    }) as Promise<T>;
  }

  /** Requests a transaction in the next turn of the event loop, unless the requested one has not taken its actions yet. */
  #request(): void {
    if (this.#isRequested || this.#waiting.length === 0) return;
    this.#isRequested = true;
    setImmediate(() => void this.#runGroup());
  }

  #take(): readonly Job[] {
    const jobs = this.#waiting.splice(0, jobsMax);
    this.#isRequested = false;
    this.#request();
    return jobs;
  }

  /** Never rejects. */
  async #runGroup(): Promise<void> {
    const { transaction } = this.#options;
    let jobs: readonly Job[] | undefined;
    let outcomes: readonly Outcome[];
    try {
      outcomes = await transaction(() => {
        jobs ??= this.#take();
        return jobs.map(({ action }) => this.#outcomeOf(action));
      });
    } catch {
      // One at a time, in order. Each caller gets its own error. A transaction that did not start took no actions yet.
      for (const { action, resolve, reject } of jobs ?? this.#take()) await transaction(action).then(resolve, reject);
      return;
    }
    for (const [index, { resolve, reject }] of (jobs ?? []).entries()) {
      const outcome = outcomes[index] ?? {};
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.result);
    }
  }

  /** @throws PartialWriteError */
  #outcomeOf(action: () => unknown): Outcome {
    const before = this.#options.writes();
    let result: unknown;
    try {
      result = action();
    } catch (error) {
      if (this.#options.writes() !== before) throw new PartialWriteError();
      return { error };
    }
    // Refused by the transaction of its own.
    if (result instanceof Promise) {
      result.catch(() => {});
      throw new PartialWriteError();
    }
    return { result };
  }
}
