// Fast path for light calls and traces; call-pool.bench.ts measures it beside the worker threads, and the rows
// debug_traceTransaction of tools/bench/peers.mjs beside geth. inline-executor.spec.ts compares it with the pool.
import { isCairnError } from '@cairn/errors';
import { type Awaitable, type Deadline, GasBudgetExceeded, gasBudgetExceeded } from '@cairn/evm';
import { nextTurn } from '@cairn/platform';
import type { CallPoolStats } from './call-pool.ts';
import type { CallServer } from './call-server.ts';
import type { ExecutionJob, LightJob, ResultOf } from './execution-job.ts';
import { HeavyRoutes } from './heavy-routes.ts';
import { inlineRouteOf, isBlockTrace } from './inline-route.ts';
import type { ResumablePool, ResumeOptions } from './resumable-pool.ts';

const lightMax = 1_000;
/** Time limit of an inline trace: the calling thread also serves light methods. */
const traceMsMax = 4;
/**
 * The same for a trace that ended within it before. Its work is always the same, so a longer time is that of other programs, and a
 * restart in the pool would add to their load.
 */
const knownTraceMsMax = 40;
/** First traces of a process with the same limit: they run code that is not compiled yet and take several times longer than others. */
const coldTraces = 4;
/** Gas between two checks of that limit: about half a millisecond of traced steps. */
const traceGasBetween = 5_000;

/** Thrown instead of {@link gasBudgetExceeded} where a trace exceeded its time. */
const traceTimeExceeded = new GasBudgetExceeded();

/**
 * Executes light calls and traces of light blocks in the calling thread, since sending one to a worker takes several times longer.
 * A job that exceeds its budget restarts in the pool, and further jobs of that function or block go to the pool directly for a while.
 */
export class InlineExecutor implements ResumablePool {
  readonly #pool: ResumablePool;
  readonly #server: CallServer;
  readonly #heavy: HeavyRoutes;
  /** Traces that ended within their time before. */
  readonly #light = new Set<string>();
  #traces = 0;
  #lastTrace: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(pool: ResumablePool, server: CallServer, heavy = new HeavyRoutes()) {
    this.#pool = pool;
    this.#server = server;
    this.#heavy = heavy;
  }

  async execute<Job extends ExecutionJob>(job: Job, options: ResumeOptions = {}): Promise<ResultOf<Job>> {
    const name = this.#isClosed ? undefined : inlineRouteOf(job);
    if (name === undefined || this.#heavy.has(name)) return await this.#pool.execute(job, options);
    try {
      if (isBlockTrace(job)) {
        const traced = await this.#trace(name, job, options);
        if (traced === undefined) return await this.#pool.execute(job, options);
        if (this.#light.size >= lightMax) this.#light.clear();
        this.#light.add(name);
        this.#heavy.delete(name);
        return traced;
      }
      // The server returns the result type of the job's kind.
      if (options.resume === undefined) return (await this.#server.serve(job)) as ResultOf<Job>;
      const { result, reads } = await this.#server.resume(job);
      options.resume.onReads(reads);
      return result as ResultOf<Job>;
    } catch (thrown) {
      return await this.#restart(name, job, options, thrown);
    }
  }

  executeNow<Job extends LightJob>(job: Job, options: ResumeOptions = {}): Awaitable<ResultOf<Job>> | undefined {
    const name = this.#isClosed || options.resume !== undefined ? undefined : inlineRouteOf(job);
    if (name === undefined || this.#heavy.has(name)) return undefined;
    try {
      const isTrace = isBlockTrace(job);
      // The start of a transaction that was light before is kept, so that its trace ends without a promise. Traces of whole blocks
      // run one after the other in `execute`: their deadline would otherwise include the time of concurrent ones.
      if (isTrace && (job.index === undefined || !this.#light.has(name))) return undefined;
      const result = isTrace ? this.#traceNow(job, options) : this.#server.serveNow(job);
      if (!(result instanceof Promise)) return result;
      return result.catch((thrown: unknown) => this.#restart(name, job, options, thrown));
    } catch (thrown) {
      if (!(thrown instanceof GasBudgetExceeded)) throw thrown;
      return this.#restart(name, job, options, thrown);
    }
  }

  /** Executes a job that exceeded its budget in the pool. @throws any other error of the job */
  async #restart<Job extends ExecutionJob>(
    name: string,
    job: Job,
    options: ResumeOptions,
    thrown: unknown,
  ): Promise<ResultOf<Job>> {
    if (!(thrown instanceof GasBudgetExceeded)) throw thrown;
    // A trace that was light before has one more attempt.
    if (!this.#light.delete(name)) {
      if (thrown === traceTimeExceeded) this.#heavy.addTimeout(name);
      else this.#heavy.addOverBudget(name, isBlockTrace(job));
    }
    return await this.#pool.execute(job, options);
  }

  /** Same as {@link #trace} for a trace that was light before, without a promise where the engine returns none. */
  #traceNow<Job extends LightJob>(job: Job, { onUsed }: ResumeOptions): Awaitable<ResultOf<Job>> | undefined {
    const start = performance.now();
    const used = (isAnswered: boolean) => onUsed?.({ workerMs: performance.now() - start, isAnswered });
    const answered = (result: ResultOf<Job>) => {
      used(true);
      return result;
    };
    const fail = (thrown: unknown): never => {
      if (isCairnError(thrown, 'EXECUTION_TIMEOUT')) throw traceTimeExceeded;
      if (!(thrown instanceof GasBudgetExceeded)) used(false);
      throw thrown;
    };
    const deadline = traceDeadline(start, knownTraceMsMax);
    try {
      const result = this.#server.serveNow(job, deadline);
      if (result instanceof Promise) return result.then(answered).catch(fail);
      return result === undefined ? undefined : answered(result);
    } catch (thrown) {
      return fail(thrown);
    }
  }

  /**
   * Traces a light block, and reports its time as that of a worker.
   * @returns `undefined` if the trace became heavy while it waited for others
   * @throws GasBudgetExceeded also at its deadline
   */
  async #trace<Job extends ExecutionJob>(
    name: string,
    job: Job,
    { resume, onUsed }: ResumeOptions,
  ): Promise<ResultOf<Job> | undefined> {
    // Chains whose state may be missing here resume in the pool.
    if (resume !== undefined) throw gasBudgetExceeded;
    // One after the other: the time of a trace would otherwise include that of concurrent ones.
    const before = this.#lastTrace;
    let end = () => {};
    this.#lastTrace = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    if (this.#heavy.has(name)) {
      end();
      return undefined;
    }
    let isTooLong = false;
    const start = performance.now();
    const isExtended = this.#light.has(name) || this.#traces++ < coldTraces;
    const deadline = traceDeadline(start, isExtended ? knownTraceMsMax : traceMsMax);
    try {
      const result = await this.#server.serve(job, deadline);
      onUsed?.({ workerMs: performance.now() - start, isAnswered: true });
      return result as ResultOf<Job>;
    } catch (thrown) {
      isTooLong = isCairnError(thrown, 'EXECUTION_TIMEOUT');
      if (isTooLong) throw traceTimeExceeded;
      if (!(thrown instanceof GasBudgetExceeded)) onUsed?.({ workerMs: performance.now() - start, isAnswered: false });
      throw thrown;
    } finally {
      // Waiting light methods are served before the next trace, which may also be too long.
      if (isTooLong) void nextTurn().then(end);
      else end();
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
}

function traceDeadline(start: number, timeoutMs: number): Deadline {
  return { at: start + timeoutMs, timeoutMs, gasBetween: traceGasBetween };
}
