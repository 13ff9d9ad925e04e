import { errorText } from '@cairn/errors';

/** State of an engine that stores of this process use. */
export interface EngineState {
  readonly name: string;
  /** Failure of the last check. The service continues with what it has cached, and answers 503 to the rest. */
  readonly warning?: string;
  /** Failure that lasts too long: the service cannot serve. */
  readonly problem?: string;
  /** Numbers for metrics: gauges of the pool, and counters since its start. */
  readonly gauges: Readonly<Record<string, number>>;
  readonly counters: Readonly<Record<string, number>>;
  /** Failed calls by code. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Numbers of an engine. */
export type EngineNumbers = Pick<EngineState, 'gauges' | 'counters' | 'failures'>;

export interface EngineWatchOptions {
  readonly name: string;
  /** Whether a failure that lasts is a problem. Otherwise it stays a warning: the service works without the engine. */
  readonly isEssential: boolean;
  /** Uses the engine. Rejects with the error if it is away. */
  readonly check: () => Promise<void>;
  readonly numbers: () => EngineNumbers;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

export const engineWatchLimits = {
  /** Milliseconds between checks. */
  intervalMs: 2000,
  /**
   * Milliseconds of failures before a service reports that it cannot serve. All replicas share the engine: a failover
   * must not remove all of them from the balancer, whose own error has no Retry-After.
   */
  graceMs: 30_000,
} as const;

/** Checks an engine in the background. A check that does not end counts as a failure. */
export class EngineWatch {
  readonly #options: EngineWatchOptions;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #okAt: number;
  #failure: string | undefined;
  #isChecking = false;

  constructor(options: EngineWatchOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#okAt = this.#now();
    this.#timer = setInterval(() => void this.check(), engineWatchLimits.intervalMs);
    this.#timer.unref();
  }

  /** Runs a check, unless one runs. */
  async check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      await this.#options.check();
      this.#okAt = this.#now();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = errorText(error);
    } finally {
      this.#isChecking = false;
    }
  }

  state(): EngineState {
    const { name, isEssential, numbers } = this.#options;
    const silentMs = this.#now() - this.#okAt;
    const isLate = silentMs > 2 * engineWatchLimits.intervalMs;
    const failure =
      this.#failure ?? (isLate ? `${name} has not answered for ${Math.round(silentMs / 1000)} s.` : undefined);
    if (failure === undefined) return { name, ...numbers() };
    return isEssential && silentMs > engineWatchLimits.graceMs
      ? { name, problem: failure, ...numbers() }
      : { name, warning: failure, ...numbers() };
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
