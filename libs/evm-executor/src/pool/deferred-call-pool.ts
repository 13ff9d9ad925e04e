import type { Awaitable } from '@cairn/evm';
import { executionErrors } from '../errors.ts';
import { CallPool, type CallPoolExecuteOptions, type CallPoolStats } from './call-pool.ts';
import type { CallPoolOptions } from './call-pool-options.ts';
import { createCallPool } from './create-call-pool.ts';
import type { ExecutionJob, LightJob, ResultOf } from './execution-job.ts';

const noWorkers: CallPoolStats = { running: 0, queued: 0, idle: 0, starting: 0, replaced: 0 };

/** Pool that can be injected before its chains are known, for example while a service still imports them. */
export class DeferredCallPool extends CallPool {
  readonly #options: Omit<CallPoolOptions, 'chains'>;
  #starting: Promise<CallPool> | undefined;
  #pool: CallPool | undefined;
  #isClosed = false;

  constructor(options: Omit<CallPoolOptions, 'chains'>) {
    super();
    this.#options = options;
  }

  /**
   * Starts the workers and resolves when they are ready. May be repeated after a failure.
   * @throws EXECUTION_FAILED if a chain does not open or the pool has been started before; EXECUTION_CLOSED after `close`
   */
  async start(chains: CallPoolOptions['chains']): Promise<void> {
    if (this.#isClosed) throw executionErrors.closed();
    if (this.#starting !== undefined) throw executionErrors.failed('the pool has been started already');
    this.#starting = createCallPool({ ...this.#options, chains });
    try {
      this.#pool = await this.#starting;
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }

  /** @throws also EXECUTION_NOT_STARTED before {@link start} has resolved */
  async execute<Job extends ExecutionJob>(job: Job, options: CallPoolExecuteOptions = {}): Promise<ResultOf<Job>> {
    if (this.#pool !== undefined) return await this.#pool.execute(job, options);
    options.onUsed?.({ workerMs: 0, isAnswered: false });
    throw this.#isClosed ? executionErrors.closed() : executionErrors.notStarted();
  }

  override executeNow<Job extends LightJob>(
    job: Job,
    options: CallPoolExecuteOptions = {},
  ): Awaitable<ResultOf<Job>> | undefined {
    return this.#pool?.executeNow?.(job, options);
  }

  stats(): CallPoolStats {
    return this.#pool?.stats() ?? noWorkers;
  }

  /** Waits for a start in progress, then closes the pool. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const pool = await this.#starting?.catch(() => undefined);
    await pool?.close();
  }
}
