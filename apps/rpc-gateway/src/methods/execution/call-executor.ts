import type { Hex } from '@cairn/block-model';
import { type Awaitable, type CallResult, whenDone } from '@cairn/evm-executor';
import type {
  CallJob,
  CallPool,
  CallPoolExecuteOptions,
  CallUse,
  ExecutionJob,
  ResultOf,
  TraceBlockJob,
} from '@cairn/evm-executor/pool';
import { creditsPerWorkerMs } from '@cairn/metering';
import { LazySignal, type RequestContext } from '../../request-context.ts';
import { executionPrefix } from '../handle-over-upstreams.ts';

/** Price of a job by worker time, for the documentation of methods. */
export const workerTimeSurcharge = `and ${creditsPerWorkerMs} for each millisecond of worker time; the account needs the price of the whole time limit at the start`;

/** Executes jobs in the worker pool, in the lane of the account that asks, and charges for them. */
export class CallExecutor {
  readonly #pool: CallPool;
  readonly #timeoutMs: number;

  /** @param timeoutMs longest execution of one job */
  constructor(pool: CallPool, { timeoutMs }: { readonly timeoutMs: number }) {
    this.#pool = pool;
    this.#timeoutMs = timeoutMs;
  }

  /** Executes a job and charges its gas. A job without a result is charged by the time of its worker. */
  run<Job extends ExecutionJob>(context: RequestContext, method: string, job: Job): Promise<ResultOf<Job>> {
    return onceForJob(context, job, async () => {
      const result = await this.runWithoutGas(context, method, job);
      context.meter.addGas(method, result.gasUsed);
      return result;
    });
  }

  /** Like {@link run}, for callers that charge the gas themselves, and that run it once although their method may be repeated. */
  runWithoutGas<Job extends ExecutionJob>(context: RequestContext, method: string, job: Job): Promise<ResultOf<Job>> {
    return this.#execute(context, job, ({ workerMs, isAnswered }) => {
      if (!isAnswered) context.meter.addWorkerTime(method, workerMs);
    });
  }

  /**
   * Like {@link runWithoutGas}, without a promise if the call is light.
   * @returns `undefined` if the call has to be passed to {@link runWithoutGas}
   */
  runNow(context: RequestContext, method: string, job: CallJob): Awaitable<CallResult> | undefined {
    const { principal } = context;
    if (principal.key.policy.contracts !== undefined) return undefined;
    return this.#pool.executeNow?.(
      job,
      new ExecuteOptions(context, ({ workerMs, isAnswered }) => {
        if (!isAnswered) context.meter.addWorkerTime(method, workerMs);
      }),
    );
  }

  /**
   * Executes a job whose gas does not reflect its work, and charges the time of its worker. The account must have credits for the
   * longest possible execution.
   * @param timeoutMs time limit of the job, if it is below the limit of all jobs
   */
  runByTime<Job extends ExecutionJob>(
    context: RequestContext,
    method: string,
    job: Job,
    timeoutMs = Number.POSITIVE_INFINITY,
  ): Promise<ResultOf<Job>> {
    return onceForJob(context, job, async () =>
      this.#byTime(context, method, timeoutMs, (onUsed) => this.#execute(context, job, onUsed)),
    );
  }

  /** Like {@link runByTime}, for a trace, and without a promise if it is light. */
  traceNow(context: RequestContext, method: string, job: TraceBlockJob): Awaitable<ResultOf<TraceBlockJob>> {
    const { once, principal } = context;
    if (once !== undefined || principal.key.policy.contracts !== undefined) return this.runByTime(context, method, job);
    return this.#byTime(context, method, Number.POSITIVE_INFINITY, (onUsed) => {
      const options = new ExecuteOptions(context, onUsed);
      return this.#pool.executeNow?.(job, options) ?? this.#pool.execute(job, options);
    });
  }

  /** Charges the worker time of a job, which the account must have credits for. */
  #byTime<Result extends { readonly gasUsed: bigint }>(
    { meter }: RequestContext,
    method: string,
    timeoutMs: number,
    execute: (onUsed: (use: CallUse) => void) => Awaitable<Result>,
  ): Awaitable<Result> {
    const held = meter.holdWorkerTime(Math.max(0, Math.min(timeoutMs, this.#timeoutMs)));
    return whenDone(held, (release) => {
      const result = execute(({ workerMs }) => {
        release();
        meter.addWorkerTime(method, workerMs);
      });
      return whenDone(result, (done) => {
        meter.addGas(method, done.gasUsed, 0);
        return done;
      });
    });
  }

  /** Executes a job whose result several requests share: none of them aborts it, and none is charged. */
  runShared<Job extends ExecutionJob>(context: RequestContext, job: Job): Promise<ResultOf<Job>> {
    return onceForJob(context, job, () => this.#pool.execute(job, { lane: context.principal.account.id }));
  }

  #execute<Job extends ExecutionJob>(
    context: RequestContext,
    job: Job,
    onUsed: (use: CallUse) => void,
  ): Promise<ResultOf<Job>> {
    const { contracts } = context.principal.key.policy;
    const limited = contracts === undefined ? job : { ...job, contracts: contracts.map(asHex) };
    return this.#pool.execute(limited, new ExecuteOptions(context, onUsed));
  }
}

class ExecuteOptions extends LazySignal implements CallPoolExecuteOptions {
  readonly lane: string;
  readonly onUsed: (use: CallUse) => void;

  constructor(context: RequestContext, onUsed: (use: CallUse) => void) {
    super(context);
    this.lane = context.principal.account.id;
    this.onUsed = onUsed;
  }
}

/** Runs a job once, although the method that asks for it may be repeated. */
function onceForJob<T>({ once }: RequestContext, job: ExecutionJob, run: () => Promise<T>): Promise<T> {
  return once === undefined ? run() : once(`${executionPrefix}${JSON.stringify(job, textOf)}`, run);
}

/** Values that JSON lacks, as distinct texts. */
function textOf(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return value instanceof Map || value instanceof Set ? [...value] : value;
}

function asHex(contract: string): Hex {
  return `0x${contract.slice(2)}`;
}
