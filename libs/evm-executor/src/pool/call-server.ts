// Every job of a pool passes here; call-pool.bench.ts measures it.
import { isCairnError } from '@cairn/errors';
import type { Awaitable, Deadline } from '@cairn/evm';
import { createEngine } from '../engine/create-engine.ts';
import { executionErrors } from '../errors.ts';
import type { ChainJob, ExecutionJob, LightJob, ResultOf, VerifiedBlobs, VerifyBlobsJob } from './execution-job.ts';
import { type OpenChain, openChain } from './open-chain.ts';
import { runAttempt } from './run-attempt.ts';
import { runJob } from './run-job.ts';
import { serveCallNow } from './serve-call.ts';
import { serveBlockTrace } from './serve-trace.ts';
import type { WorkerData } from './worker-protocol.ts';

/** Result of a job over an attempt, with the reads of the attempt. */
export interface ResumedResult {
  readonly result: ResultOf<ExecutionJob>;
  readonly reads: unknown;
}

/** Executes jobs in the thread that opened it. A worker wraps it in messages. */
export interface CallServer {
  /** @throws the errors of the job, {@link ReadsMissing}, and EXECUTION_TIMEOUT if its engine checks the deadline */
  serve(job: ExecutionJob, deadline?: Deadline): Promise<ResultOf<ExecutionJob>>;
  /**
   * Executes a call or a trace without a promise where the engine returns none.
   * @returns `undefined` if the job has to be passed to `serve`: its block is not open, or its reads may have to be fetched
   * @throws as `serve`
   */
  serveNow<Job extends LightJob>(job: Job, deadline?: Deadline): Awaitable<ResultOf<Job>> | undefined;
  /** Executes a job over an attempt of its source; see {@link SourceAttempt}. @throws as `serve` */
  resume(job: ExecutionJob, deadline?: Deadline): Promise<ResumedResult>;
  close(): Promise<void>;
}

/** Loads the trusted setup of KZG, 8 MB of each thread, with the first blobs. */
async function serveBlobs(job: VerifyBlobsJob): Promise<VerifiedBlobs> {
  return (await import('./serve-blobs.ts')).serveBlobs(job);
}

/**
 * Opens every chain and creates the engine.
 * @param gasBudget applies to calls; see `limits` of {@link executeCall}
 * @throws EXECUTION_FAILED with the name of a chain that does not open
 */
export async function openCallServer(
  { chains, gasCapMultiplier, engine: engineName }: WorkerData,
  gasBudget?: number,
): Promise<CallServer> {
  const engine = createEngine(engineName);
  const open = new Map<string, OpenChain>();
  for (const [name, chain] of Object.entries(chains)) open.set(name, await openChain(name, chain));
  const chainOf = (job: ChainJob): OpenChain => {
    const chain = open.get(job.chain);
    if (chain === undefined) throw executionErrors.failed(`there is no chain ${job.chain}`);
    return chain;
  };
  const run = (job: ChainJob, chain: OpenChain, deadline: Deadline | undefined) =>
    // Fields are listed one by one: object spreads take longer than a small call.
    runJob(job, chain, { engine, gasCapMultiplier, gasBudget, deadline });
  const resume: CallServer['resume'] = async (job, deadline) => {
    if (job.kind === 'verifyBlobs') return { result: await serveBlobs(job), reads: undefined };
    return runAttempt(chainOf(job), deadline, (chain, ends) => run(job, chain, ends));
  };
  /** Runs over the shared readers first, which keep what they read, and over an attempt if a read is missing. */
  const runWithAttempt = async (job: ChainJob, deadline: Deadline | undefined): Promise<ResultOf<ExecutionJob>> => {
    try {
      return await run(job, chainOf(job), deadline);
    } catch (error) {
      if (!isCairnError(error, 'CONTENT_MISSING')) throw error;
    }
    return (await resume(job, deadline)).result;
  };
  return {
    resume,
    serve(job, deadline) {
      if (job.kind === 'verifyBlobs') return serveBlobs(job);
      const chain = open.get(job.chain);
      if (chain === undefined || chain.source.attempt !== undefined) return runWithAttempt(job, deadline);
      return run(job, chain, deadline);
    },
    serveNow<Job extends LightJob>(job: Job, deadline?: Deadline) {
      const chain = open.get(job.chain);
      if (chain === undefined || chain.source.attempt !== undefined) return undefined;
      const result =
        job.kind === 'traceBlock'
          ? serveBlockTrace(job, chain, { engine, deadline, isInline: gasBudget !== undefined })
          : serveCallNow(job, chain, { engine, gasCapMultiplier, gasBudget, deadline });
      // Both return the result type of the job's kind.
      return result as Awaitable<ResultOf<Job>> | undefined;
    },
    async close() {
      for (const { source } of open.values()) await source.close?.();
    },
  };
}
