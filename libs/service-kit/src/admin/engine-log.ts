import type { Dependency } from '../health.ts';
import type { Logger } from '../logger.ts';

/** Time in milliseconds between two looks at the states. */
const intervalMs = 1_000;

/** Logs when an engine fails and when it works again: one line for each change, however many requests fail meanwhile. */
export class EngineLog {
  readonly #engines: () => readonly Dependency[];
  readonly #logger: Pick<Logger, 'warn' | 'info'>;
  /** Names of the engines that failed at the last look. */
  #failing: ReadonlySet<string> = new Set();

  constructor(engines: () => readonly Dependency[], logger: Pick<Logger, 'warn' | 'info'>) {
    this.#engines = engines;
    this.#logger = logger;
  }

  /** Compares the states with those of the last call. */
  look(): void {
    const failing = new Set<string>();
    const engines = this.#engines();
    for (const { name, problem, warning } of engines) {
      const reason = problem ?? warning;
      if (reason === undefined || failing.has(name)) continue;
      failing.add(name);
      if (!this.#failing.has(name)) this.#logger.warn({ engine: name, reason }, 'an engine fails');
    }
    // An engine that was closed is not listed, and does not work again.
    const working = new Set(engines.map(({ name }) => name).filter((name) => !failing.has(name)));
    for (const engine of this.#failing) if (working.has(engine)) this.#logger.info({ engine }, 'an engine works again');
    this.#failing = failing;
  }
}

/** Looks every second. The timer does not keep the process alive. */
export function logEngines(engines: () => readonly Dependency[], logger: Pick<Logger, 'warn' | 'info'>): void {
  const log = new EngineLog(engines, logger);
  setInterval(() => log.look(), intervalMs).unref();
}
