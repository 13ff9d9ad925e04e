interface Joined<Event> {
  readonly onEvent?: (event: Event) => void;
}

interface Run<Event, Result> {
  readonly joined: Set<Joined<Event>>;
  readonly abort: AbortController;
  readonly result: Promise<Result>;
}

/**
 * Work that many may ask for at the same time. A call joins a run that begins after it: the one under way may have looked
 * already at what the call is about. So two runs serve any number of calls. A run ends early when all who joined have gone.
 */
export class CoalescedRuns<Event, Result> {
  readonly #work: (signal: AbortSignal, tell: (event: Event) => void) => Promise<Result>;
  #current: Run<Event, Result> | undefined;
  #next: Run<Event, Result> | undefined;

  constructor(work: (signal: AbortSignal, tell: (event: Event) => void) => Promise<Result>) {
    this.#work = work;
  }

  get isIdle(): boolean {
    return this.#current === undefined && this.#next === undefined;
  }

  /** @throws the signal's reason, what the work throws */
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
    const me: Joined<Event> = { ...(onEvent && { onEvent }) };
    run.joined.add(me);
    return await new Promise<Result>((resolve, reject) => {
      const leave = () => {
        run.joined.delete(me);
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
        // From here on calls join the run after this one.
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
