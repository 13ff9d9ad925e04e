/** Pause of a route whose work always exceeds the budget. */
const budgetPauseMs = 10_000;
/** The same for a trace: further code of it may be light. */
const traceBudgetPauseMs = 1_000;
/**
 * First and longest pause of a trace that exceeded its time; each further timeout doubles it. The first trace of a process runs code
 * that is not compiled yet and takes several times longer than the next one, so one timeout alone proves little. A trace that is
 * always too long takes the calling thread for 6 attempts in its first 1.6 s, and then for one each second.
 */
const timeoutPauseMs = { first: 50, max: 1_000 } as const;
const routesMax = 1_000;

interface HeavyRoute {
  until: number;
  timeouts: number;
}

/** Functions and traces that an inline executor passes to its pool for a while, by the name of their route. */
export class HeavyRoutes {
  readonly #routes = new Map<string, HeavyRoute>();
  readonly #now: () => number;

  /** @param now clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Reports whether a route is in its pause. */
  has(name: string): boolean {
    const route = this.#routes.get(name);
    return route !== undefined && route.until > this.#now();
  }

  /** Starts the pause of a route whose work exceeded its budget, which it always does. */
  addOverBudget(name: string, isTrace: boolean): void {
    this.#set(name, { until: this.#now() + (isTrace ? traceBudgetPauseMs : budgetPauseMs), timeouts: 0 });
  }

  /** Starts the pause of a trace that exceeded its time. The pause depends on the timeouts since its last answer. */
  addTimeout(name: string): void {
    const timeouts = (this.#routes.get(name)?.timeouts ?? 0) + 1;
    const pauseMs = Math.min(timeoutPauseMs.first * 2 ** (timeouts - 1), timeoutPauseMs.max);
    this.#set(name, { until: this.#now() + pauseMs, timeouts });
  }

  /** Ends the pause of a route, and resets its timeouts. */
  delete(name: string): void {
    this.#routes.delete(name);
  }

  #set(name: string, route: HeavyRoute): void {
    if (this.#routes.size >= routesMax) this.#routes.clear();
    this.#routes.set(name, route);
  }
}
