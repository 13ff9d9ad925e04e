// Hot path of light calls: the rows eth_call of tools/bench/peers.mjs. inline-executor.spec.ts compares it with the pool.
import type { Awaitable } from '@cairn/evm';
import type { CallResult } from '../call-result.ts';
import { executeCallOn } from '../execute-call.ts';
import { ancestorHashes } from './ancestor-hashes.ts';
import type { CallJob } from './execution-job.ts';
import { type OpenChain, openBlockOf } from './open-chain.ts';
import type { JobLimits } from './run-job.ts';

/**
 * Executes a call, without a promise where the engine returns none.
 * @returns `undefined` if the block is not open yet
 * @throws the errors of {@link executeCallOn}
 */
export function serveCallNow(
  job: CallJob,
  chain: OpenChain,
  { engine, gasCapMultiplier, gasBudget, deadline }: JobLimits,
): Awaitable<CallResult> | undefined {
  const block = openBlockOf(chain, job.blockHash);
  if (block === undefined) return undefined;
  const { header, state } = block;
  const { call, stateOverrides, blockOverrides, contracts } = job;
  // Fields are listed one by one: object spreads take longer than a small call.
  return executeCallOn({
    spec: chain.chain.spec,
    header,
    state,
    blockHashes: ancestorHashes(chain.source, header),
    engine,
    call,
    limits: { gasCapMultiplier, gasBudget, deadline },
    stateOverrides,
    blockOverrides,
    contracts,
  });
}
