// Every job of a pool passes here; call-pool.bench.ts measures it.
import type { CallEngine, Deadline } from '@cairn/evm';
import { createAccessList } from '../create-access-list.ts';
import { executionErrors } from '../errors.ts';
import { estimateGas } from '../estimate-gas.ts';
import { executeCall } from '../execute-call.ts';
import { traceCall } from '../trace/trace-call.ts';
import { traceCalls } from '../trace/trace-calls.ts';
import { ancestorHashes } from './ancestor-hashes.ts';
import type { ChainJob, ResultOf } from './execution-job.ts';
import { blockOf, type OpenChain } from './open-chain.ts';
import { serveCallWitness } from './serve-call-witness.ts';
import { isRead, serveRead } from './serve-read.ts';
import { serveSimulation } from './serve-simulation.ts';
import { serveBlockTrace, serveTraceWithin } from './serve-trace.ts';
import { serveWitness } from './serve-witness.ts';

export interface JobLimits {
  readonly engine: CallEngine;
  readonly gasCapMultiplier: number;
  readonly gasBudget: number | undefined;
  readonly deadline: Deadline | undefined;
}

/** Executes a job on an open chain. @throws the errors of the job, and EXECUTION_TIMEOUT if its engine checks the deadline */
export async function runJob(
  job: ChainJob,
  chain: OpenChain,
  { engine, gasCapMultiplier, gasBudget, deadline }: JobLimits,
): Promise<ResultOf<ChainJob>> {
  if (job.contracts !== undefined && (job.kind === 'traceBlock' || job.kind === 'executionWitness'))
    throw executionErrors.failed('a job on a whole block cannot be limited to contracts');
  if (isRead(job)) return serveRead(job, chain.source);
  if (job.kind === 'traceBlock')
    return serveBlockTrace(job, chain, { engine, deadline, isInline: gasBudget !== undefined });
  if (job.kind === 'executionWitness') return serveWitness(job, chain.chain, chain.source, engine, deadline);
  if (job.kind === 'traceCall' && job.index !== undefined)
    return serveTraceWithin({ ...job, index: job.index }, chain, engine, { gasCapMultiplier, deadline });
  const { header, state } = await blockOf(job.chain, chain, job.blockHash);
  const { spec } = chain.chain;
  const blockHashes = ancestorHashes(chain.source, header);
  if (job.kind === 'simulate')
    return serveSimulation(job, chain, { spec, header, state, blockHashes, engine, deadline });
  const { stateOverrides, blockOverrides, contracts } = job;
  const limits = { gasCapMultiplier, gasBudget, deadline };
  if (job.kind === 'traceCalls') {
    const place = { spec, header, state, blockHashes, engine, limits, stateOverrides, blockOverrides, contracts };
    return { kind: 'json', ...(await traceCalls(place, job.calls)) };
  }
  const { call } = job;
  // Fields are listed one by one: object spreads take longer than a small call.
  const options = { spec, header, state, blockHashes, engine, call, limits, stateOverrides, blockOverrides, contracts };
  switch (job.kind) {
    case 'callWitness':
      return serveCallWitness(job, options, chain.source);
    case 'estimateGas':
      return estimateGas(options);
    case 'createAccessList':
      return createAccessList({ tip: job.tip, ...options });
    case 'traceCall':
      return { kind: 'json', ...(await traceCall({ isTransaction: job.isTransaction, ...options }, job.options)) };
    default:
      return executeCall(options);
  }
}
