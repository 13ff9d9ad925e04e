interface Joined<Event> {
  readonly onEvent?: (event: Event) => void;
}

interface Run<Event, Result> {
  readonly joined: Set<Joined<Event>>;
  readonly abort: AbortController;
  readonly result: Promise<Result>;
}

/**
 * Coalesces concurrent calls of the same work. A call joins the next run, since the current one may already have passed the
 * data of the call. Two runs thus serve any number of concurrent calls. A run is aborted when all its callers have aborted.
 */
export class CoalescedRuns<Event, Result> {
  readonly #work: (signal: AbortSignal, emit: (event: Event) => void) => Promise<Result>;
  #current: Run<Event, Result> | undefined;
  #next: Run<Event, Result> | undefined;

  constructor(work: (signal: AbortSignal, emit: (event: Event) => void) => Promise<Result>) {
    this.#work = work;
  }

  get isIdle(): boolean {
    return this.#current === undefined && this.#next === undefined;
  }

  /** Joins the next run and resolves to its result. @throws the reason of the signal, errors of the work */
  async join({
    signal,
    onEvent,
  }: {
    readonly signal?: AbortSignal;
    readonly onEvent?: (event: Event) => void;
  } = {}): Promise<Result> {
    signal?.throwIfAborted();
    this.#next ??= this.#start(this.#current);
    const run = this.#next;
    const caller: Joined<Event> = { ...(onEvent && { onEvent }) };
    run.joined.add(caller);
    return await new Promise<Result>((resolve, reject) => {
      const leave = () => {
        run.joined.delete(caller);
        if (run.joined.size === 0 && run === this.#current) run.abort.abort(signal?.reason);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      run.result.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
    });
  }

  #start(after: Run<Event, Result> | undefined): Run<Event, Result> {
    const joined = new Set<Joined<Event>>();
    const abort = new AbortController();
    const before = after ? after.result.catch(() => {}) : Promise.resolve();
    const run: Run<Event, Result> = {
      joined,
      abort,
      result: before.then(async () => {
        // Later calls join the run after this one.
        this.#current = run;
        this.#next = undefined;
        try {
          if (joined.size === 0) abort.abort();
          abort.signal.throwIfAborted();
          return await this.#work(abort.signal, (event) => {
            for (const { onEvent } of joined) onEvent?.(event);
          });
        } finally {
          this.#current = undefined;
        }
      }),
    };
    run.result.catch(() => {});
    return run;
  }
}
