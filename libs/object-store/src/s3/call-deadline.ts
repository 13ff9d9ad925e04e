/** Ends a call after its time or when its caller's signal aborts. It keeps no listener after {@link end}. */
export class CallDeadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #onAbort = () => this.#controller.abort(this.#callerSignal?.reason);

  constructor(milliseconds: number, callerSignal: AbortSignal | undefined) {
    this.#callerSignal = callerSignal;
    this.#timer = setTimeout(() => this.#controller.abort(new Error(`no answer in ${milliseconds} ms`)), milliseconds);
    this.#timer.unref();
    if (callerSignal?.aborted === true) this.#onAbort();
    else callerSignal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.signal.aborted;
  }

  /** Waits. Ends early when the call is over; the next attempt then reports it. */
  async pause(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.signal.addEventListener('abort', done);
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#callerSignal?.removeEventListener('abort', this.#onAbort);
  }
}
