/** A fetch that several callers may wait for. A caller that aborts leaves the others; the last one ends the fetch. */
export class SharedFetch<Result> {
  readonly #controller = new AbortController();
  readonly #result: Promise<Result>;
  #callers = 0;
  #isSettled = false;

  constructor(fetch: (signal: AbortSignal) => Promise<Result>) {
    this.#result = fetch(this.#controller.signal).finally(() => {
      this.#isSettled = true;
    });
    // Each caller sees the failure.
    this.#result.catch(() => undefined);
  }

  /** Reports whether all callers have aborted, so that the fetch has no result. */
  get isAborted(): boolean {
    return this.#controller.signal.aborted;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Result, without counting as a caller. */
  get settled(): Promise<Result> {
    return this.#result;
  }

  async join(signal: AbortSignal | undefined): Promise<Result> {
    signal?.throwIfAborted();
    this.#callers++;
    let leave = () => {};
    try {
      if (signal === undefined) return await this.#result;
      const aborted = new Promise<never>((_, reject) => {
        leave = () => reject(signal.reason);
        signal.addEventListener('abort', leave, { once: true });
      });
      return await Promise.race([this.#result, aborted]);
    } finally {
      signal?.removeEventListener('abort', leave);
      this.#callers--;
      if (this.#callers === 0 && !this.#isSettled) this.#controller.abort(signal?.reason);
    }
  }
}
