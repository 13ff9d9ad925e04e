import type { Hex } from '@cairn/block-model';
import {
  type BlockOverrides,
  blobBaseFeeAt,
  type CallHalt,
  type CallRequest,
  type CallRevert,
  forkRules,
  type StateOverrides,
} from '@cairn/evm-executor';
import type { CallUse, ExecutionJob, ResultOf } from '@cairn/evm-executor/pool';
import { RpcError } from '@cairn/jsonrpc-core';
import { creditsPerWorkerMs } from '@cairn/metering';
import { type BlockId, isPending, requireHeader } from '../../block-param.ts';
import { headOf, pendingFields } from '../../chains/pending-block.ts';
import type { RequestContext } from '../../request-context.ts';

/** Price of a job by the time that it holds a worker; for documentation. */
export const workerTimeSurcharge = `and ${creditsPerWorkerMs} for each millisecond of a worker; the price of its time limit has to be left when it begins`;

/**
 * Runs a job on a block in a worker, in the lane of the account that asks. It costs its gas; one that ends without a
 * result costs the time of the worker.
 */
export async function runJob<Job extends ExecutionJob>(
  context: RequestContext,
  method: string,
  job: Job,
): Promise<ResultOf<Job>> {
  const result = await executeJob(context, method, job);
  context.meter.addGas(method, result.gasUsed);
  return result;
}

/** As {@link runJob}, for callers that count the gas themselves. */
export function executeJob<Job extends ExecutionJob>(
  context: RequestContext,
  method: string,
  job: Job,
): Promise<ResultOf<Job>> {
  return execute(context, job, ({ workerMs, isAnswered }) => {
    if (!isAnswered) context.meter.addWorkerTime(method, workerMs);
  });
}

/**
 * As {@link runJob}, for a job whose gas says little of its work. It costs the time of the worker, of which the account has
 * to have as much left as the job may take.
 * @param timeoutMs of the job, where it is below that of all jobs
 */
export async function runTimedJob<Job extends ExecutionJob>(
  context: RequestContext,
  method: string,
  job: Job,
  timeoutMs = Number.POSITIVE_INFINITY,
): Promise<ResultOf<Job>> {
  const { meter, registry } = context;
  const release = await meter.holdWorkerTime(Math.max(0, Math.min(timeoutMs, registry.callTimeoutMs)));
  const result = await execute(context, job, ({ workerMs }) => {
    release();
    meter.addWorkerTime(method, workerMs);
  });
  meter.addGas(method, result.gasUsed, 0);
  return result;
}

function execute<Job extends ExecutionJob>(
  context: RequestContext,
  job: Job,
  onUsed: (use: CallUse) => void,
): Promise<ResultOf<Job>> {
  const { registry, principal } = context;
  const { contracts } = principal.key.policy;
  // Read by what waits or takes long: making one costs as much as a light call.
  return registry.execute(contracts === undefined ? job : { ...job, contracts: contracts.map(asHex) }, {
    lane: principal.account.id,
    onUsed,
    get signal() {
      return context.signal;
    },
  });
}

function asHex(contract: string): Hex {
  return `0x${contract.slice(2)}`;
}

/** The parts of a job that runs a message. @throws RpcError where there is no such block */
export function messageJob(
  context: RequestContext,
  call: CallRequest,
  id: BlockId = { tag: 'latest' },
  { state, block }: { readonly state?: StateOverrides | undefined; readonly block?: BlockOverrides | undefined } = {},
) {
  const { name: chain } = context.chain.network;
  const { hash: blockHash } = requireHeader(context, id);
  const blockOverrides = isPending(id) ? { ...pendingOverrides(context), ...block } : block;
  return { chain, blockHash, call, stateOverrides: state, blockOverrides };
}

/** The pending block as overrides of the head: it changes no account, so that the state is that of the head. */
function pendingOverrides({ chain }: RequestContext): BlockOverrides {
  const { number, timestamp, gasLimit, baseFeePerGas, miner, mixHash, excessBlobGas, parentHash } = pendingFields(
    chain,
    headOf(chain),
  );
  const { spec } = chain.store;
  const rules = spec && forkRules(spec, { number, timestamp });
  return {
    number,
    parentHash,
    time: timestamp,
    gasLimit,
    feeRecipient: miner,
    prevRandao: mixHash,
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
    ...(rules && excessBlobGas !== undefined && { blobBaseFee: blobBaseFeeAt(excessBlobGas, rules) }),
  };
}

/** The error of code that did not succeed, as geth tells it. */
export function executionError(result: CallRevert | CallHalt): RpcError {
  return result.kind === 'revert'
    ? new RpcError('reverted', result.message, result.data)
    : new RpcError('server', result.reason);
}
