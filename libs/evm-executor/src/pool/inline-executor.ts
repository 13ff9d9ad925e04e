// Fast path for light calls; call-pool.bench.ts measures it beside the worker threads.
import { GasBudgetExceeded } from '@cairn/evm';
import type { CallRequest } from '../call-request.ts';
import type { CallPoolStats } from './call-pool.ts';
import type { CallServer } from './call-server.ts';
import type { CallJob, ExecutionJob, ResultOf } from './execution-job.ts';
import type { ResumablePool, ResumeOptions } from './resumable-pool.ts';

/**
 * Maximum input length of an inline call. Parsing, copying and hashing of input cost no gas, so longer input is passed to a
 * worker.
 */
const dataCharactersMax = 16_384;
const accessListMax = 16;
/** Time for which a function that exceeded the budget goes directly to the workers. */
const heavyMs = 10_000;
const heavyMax = 1_000;

/**
 * Executes light calls in the calling thread, since sending a call to a worker takes several times longer. A call that exceeds its
 * gas budget restarts in the pool, and further calls of that function go to the pool directly for {@link heavyMs}.
 */
export class InlineExecutor implements ResumablePool {
  readonly #pool: ResumablePool;
  readonly #server: CallServer;
  /** End of the direct route to the pool, by function. */
  readonly #heavy = new Map<string, number>();
  #isClosed = false;

  constructor(pool: ResumablePool, server: CallServer) {
    this.#pool = pool;
    this.#server = server;
  }

  async execute<Job extends ExecutionJob>(job: Job, options: ResumeOptions = {}): Promise<ResultOf<Job>> {
    const name = this.#isClosed ? undefined : this.#functionOf(job);
    if (name === undefined) return await this.#pool.execute(job, options);
    try {
      // The server returns the result type of the job's kind.
      if (options.resume === undefined) return (await this.#server.serve(job)) as ResultOf<Job>;
      const { result, reads } = await this.#server.resume(job);
      options.resume.onReads(reads);
      return result as ResultOf<Job>;
    } catch (thrown) {
      if (!(thrown instanceof GasBudgetExceeded)) throw thrown;
      if (this.#heavy.size >= heavyMax) this.#heavy.clear();
      this.#heavy.set(name, performance.now() + heavyMs);
      return await this.#pool.execute(job, options);
    }
  }

  stats(): CallPoolStats {
    return this.#pool.stats();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.close();
    await this.#server.close();
  }

  /** Returns the called function if the call may be light, and `undefined` for other jobs and recently heavy functions. */
  #functionOf(job: ExecutionJob): string | undefined {
    if (!isCall(job) || job.stateOverrides !== undefined || job.blockOverrides !== undefined) return undefined;
    if (!isSmall(job.call)) return undefined;
    const name = `${job.chain} ${job.call.to} ${job.call.data?.slice(0, 10)}`;
    const until = this.#heavy.get(name);
    if (until === undefined) return name;
    if (until > performance.now()) return undefined;
    this.#heavy.delete(name);
    return name;
  }
}

function isCall(job: ExecutionJob): job is CallJob {
  return job.kind === undefined || job.kind === 'call';
}

function isSmall({ data = '0x', accessList = [], authorizationList, blobVersionedHashes }: CallRequest): boolean {
  if (data.length > dataCharactersMax || accessList.length > accessListMax) return false;
  // Recovering a signature takes a millisecond.
  if (authorizationList !== undefined || blobVersionedHashes !== undefined) return false;
  return accessList.every(({ storageKeys }) => storageKeys.length <= accessListMax);
}
