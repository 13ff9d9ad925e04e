// Every job of a pool with fetched chains passes here; call-pool.bench.ts measures it.
import type { Awaitable } from '@cairn/evm';
import { executionErrors } from '../errors.ts';
import type { CallPool, CallPoolExecuteOptions, CallPoolStats } from './call-pool.ts';
import { type CallPoolOptions, callPoolLimits } from './call-pool-options.ts';
import type { CallChain } from './call-source.ts';
import type { ExecutionJob, LightJob, ResultOf } from './execution-job.ts';
import { JobRounds } from './job-rounds.ts';
import { noUse } from './pending-job.ts';
import { ReadsMissing, type ResumablePool } from './resumable-pool.ts';
import { SharedAbortListeners } from './shared-abort-listeners.ts';

type FetchingChain = CallChain & Required<Pick<CallChain, 'fetch'>>;

/** Fetches the missing reads of jobs between their runs. A job occupies no thread while it waits for a fetch. */
export class FetchingPool implements CallPool {
  readonly #pool: ResumablePool;
  readonly #chains: ReadonlyMap<string, FetchingChain>;
  readonly #timeoutMs: number;
  readonly #fetchTimeoutMs: number;
  readonly #abortListeners = new SharedAbortListeners();
  /** Jobs between their first fetch and their result. */
  #fetching = 0;
  /** Jobs of fetched chains that have no result. */
  #running = 0;
  #closing: Promise<void> | undefined;
  #onDrained: (() => void) | undefined;

  constructor(pool: ResumablePool, options: Pick<CallPoolOptions, 'chains' | 'timeoutMs' | 'fetchTimeoutMs'>) {
    this.#pool = pool;
    this.#chains = new Map(
      Object.entries(options.chains).filter((entry): entry is [string, FetchingChain] => entry[1].fetch !== undefined),
    );
    this.#timeoutMs = options.timeoutMs ?? callPoolLimits.timeoutMs;
    this.#fetchTimeoutMs = options.fetchTimeoutMs ?? callPoolLimits.fetchTimeoutMs;
  }

  /** @throws also EXECUTION_ROUNDS_EXCEEDED and the errors of {@link CallChain.fetch} */
  execute<Job extends ExecutionJob>(job: Job, options: CallPoolExecuteOptions = {}): Promise<ResultOf<Job>> {
    const chain = this.#chains.get(job.chain);
    if (chain === undefined) return this.#pool.execute(job, options);
    if (this.#closing !== undefined) {
      options.onUsed?.(noUse);
      return Promise.reject(executionErrors.closed());
    }
    return this.#execute(chain, job, options);
  }

  executeNow<Job extends LightJob>(job: Job, options?: CallPoolExecuteOptions): Awaitable<ResultOf<Job>> | undefined {
    return this.#chains.has(job.chain) ? undefined : this.#pool.executeNow?.(job, options);
  }

  stats(): CallPoolStats {
    return this.#pool.stats();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
    }
    await this.#pool.close();
  }

  async #execute<Job extends ExecutionJob>(
    chain: FetchingChain,
    job: Job,
    options: CallPoolExecuteOptions,
  ): Promise<ResultOf<Job>> {
    const startedAt = performance.now();
    this.#running++;
    try {
      return await this.#pool.execute(job, options);
    } catch (thrown) {
      if (!(thrown instanceof ReadsMissing)) throw thrown;
      const { timeoutMs = this.#timeoutMs } = options;
      const limits = { startedAt, timeoutMs, fetchTimeoutMs: this.#fetchTimeoutMs };
      return await this.#resume(chain, job, { rounds: new JobRounds(options, limits), thrown });
    } finally {
      this.#running--;
      if (this.#running === 0) this.#onDrained?.();
    }
  }

  async #resume<Job extends ExecutionJob>(
    chain: FetchingChain,
    job: Job,
    { rounds, thrown }: { readonly rounds: JobRounds; readonly thrown: ReadsMissing },
  ): Promise<ResultOf<Job>> {
    this.#fetching++;
    try {
      rounds.add(thrown);
      if (this.#fetching > callPoolLimits.fetchingMax)
        throw executionErrors.queueFull(callPoolLimits.fetchingMax, this.#fetchTimeoutMs);
      const result = await this.#runUntilComplete(chain, job, rounds);
      rounds.end(true);
      return result;
    } catch (error) {
      rounds.end(false);
      throw error;
    } finally {
      this.#fetching--;
    }
  }

  /** Fetches and runs until nothing is missing. */
  async #runUntilComplete<Job extends ExecutionJob>(
    chain: FetchingChain,
    job: Job,
    rounds: JobRounds,
  ): Promise<ResultOf<Job>> {
    let reads: unknown;
    const onReads = (answered: unknown) => {
      reads = answered;
    };
    for (let round = 1; round <= callPoolLimits.fetchRoundsMax; round++) {
      const { missing } = rounds;
      await rounds.whileFetching(this.#abortListeners, (signal) => chain.fetch(missing, { job, round, signal }));
      try {
        const result = await rounds.run((options) => this.#pool.execute(job, { ...options, resume: { onReads } }));
        chain.learn?.(reads, job);
        return result;
      } catch (thrown) {
        if (!(thrown instanceof ReadsMissing)) throw thrown;
        rounds.add(thrown);
      }
    }
    throw executionErrors.roundsExceeded(callPoolLimits.fetchRoundsMax);
  }
}
