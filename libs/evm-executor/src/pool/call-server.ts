// Every job of a pool passes here; call-pool.bench.ts measures it.
import type { Deadline } from '@cairn/evm';
import { createAccessList } from '../create-access-list.ts';
import { createEngine } from '../engine/create-engine.ts';
import { executionErrors } from '../errors.ts';
import { estimateGas } from '../estimate-gas.ts';
import { executeCall } from '../execute-call.ts';
import { traceCall } from '../trace/trace-call.ts';
import { ancestorHashes } from './ancestor-hashes.ts';
import type { ExecutionJob, ResultOf } from './execution-job.ts';
import { blockOf, type OpenChain, openChain } from './open-chain.ts';
import { serveBlobs } from './serve-blobs.ts';
import { isRead, serveRead } from './serve-read.ts';
import { serveSimulation } from './serve-simulation.ts';
import { serveBlockTrace, serveTraceWithin } from './serve-trace.ts';
import { serveWitness } from './serve-witness.ts';
import type { WorkerData } from './worker-protocol.ts';

/** Executes jobs in the thread that opened it. A worker wraps it in messages. */
export interface CallServer {
  /** @throws the errors of the job, and EXECUTION_TIMEOUT if its engine checks the deadline */
  serve(job: ExecutionJob, deadline?: Deadline): Promise<ResultOf<ExecutionJob>>;
  close(): Promise<void>;
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
  return {
    async serve(job, deadline) {
      if (job.kind === 'verifyBlobs') return serveBlobs(job);
      const chain = open.get(job.chain);
      if (chain === undefined) throw executionErrors.failed(`there is no chain ${job.chain}`);
      if (job.contracts !== undefined && (job.kind === 'traceBlock' || job.kind === 'executionWitness'))
        throw executionErrors.failed('a job on a whole block cannot be limited to contracts');
      if (isRead(job)) return serveRead(job, chain.source);
      if (job.kind === 'traceBlock') return serveBlockTrace(job, chain, engine, deadline);
      if (job.kind === 'executionWitness') return serveWitness(job, chain.chain, chain.source, engine, deadline);
      if (job.kind === 'traceCall' && job.index !== undefined)
        return serveTraceWithin({ ...job, index: job.index }, chain, engine, { gasCapMultiplier, deadline });
      const { header, state } = await blockOf(job.chain, chain, job.blockHash);
      const { spec } = chain.chain;
      const blockHashes = ancestorHashes(chain.source, header);
      if (job.kind === 'simulate')
        return serveSimulation(job, chain, { spec, header, state, blockHashes, engine, deadline });
      const { call, stateOverrides, blockOverrides, contracts } = job;
      const limits = { gasCapMultiplier, gasBudget, deadline };
      // Fields are listed one by one: object spreads take longer than a small call.
      const options = {
        spec,
        header,
        state,
        blockHashes,
        engine,
        call,
        limits,
        stateOverrides,
        blockOverrides,
        contracts,
      };
      switch (job.kind) {
        case 'estimateGas':
          return estimateGas(options);
        case 'createAccessList':
          return createAccessList({ ...options, tip: job.tip });
        case 'traceCall':
          return { kind: 'json', ...(await traceCall(options, job.options)) };
        default:
          return executeCall(options);
      }
    },
    async close() {
      for (const { source } of open.values()) await source.close?.();
    },
  };
}
