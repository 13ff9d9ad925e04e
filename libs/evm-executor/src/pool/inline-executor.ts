import type { CallRequest } from '../call-request.ts';
import { GasBudgetExceeded } from '../engine/gas-budget.ts';
import type { CallPool, CallPoolExecuteOptions, CallPoolStats } from './call-pool.ts';
import type { CallServer } from './call-server.ts';
import type { CallJob, ExecutionJob, ResultOf } from './execution-job.ts';

/** Longer input is parsed, copied and hashed at no price in gas. */
const dataCharactersMax = 16_384;
const accessListMax = 16;
/** How long a function that was too heavy goes to the workers at once. */
const heavyMs = 10_000;
const heavyMax = 1_000;

/**
 * A pool in front of which light calls run where they are asked for: a thread's hand-over costs several times what they
 * do. A call that exceeds its gas budget begins anew in a worker, and calls of that function follow it there for a while.
 */
export class InlineExecutor implements CallPool {
  readonly #pool: CallPool;
  readonly #server: CallServer;
  /** Until when, by function. */
  readonly #heavy = new Map<string, number>();
  #isClosed = false;

  constructor(pool: CallPool, server: CallServer) {
    this.#pool = pool;
    this.#server = server;
  }

  async execute<Job extends ExecutionJob>(job: Job, options: CallPoolExecuteOptions = {}): Promise<ResultOf<Job>> {
    const name = this.#isClosed ? undefined : this.#functionOf(job);
    if (name === undefined) return await this.#pool.execute(job, options);
    try {
      // It answers a job with what that kind of job comes to.
      return (await this.#server.serve(job)) as ResultOf<Job>;
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

  /** What a call that may be light calls; `undefined` for jobs that are not, or were not of late. */
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
  // Signatures cost a millisecond each.
  if (authorizationList !== undefined || blobVersionedHashes !== undefined) return false;
  return accessList.every(({ storageKeys }) => storageKeys.length <= accessListMax);
}
