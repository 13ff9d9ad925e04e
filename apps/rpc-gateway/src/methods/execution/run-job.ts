import type {
  BlockOverrides,
  CallHalt,
  CallRequest,
  CallRevert,
  ExecutionJob,
  ResultOf,
  StateOverrides,
} from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, requireHeader } from '../../block-param.ts';
import type { RequestContext } from '../../request-context.ts';

/** Runs a job on a block in a worker, in the lane of the key that asks, for the account of the method that is named. */
export async function runJob<Job extends ExecutionJob>(
  context: RequestContext,
  method: string,
  job: Job,
): Promise<ResultOf<Job>> {
  const result = await executeJob(context, job);
  context.meter.addGas(method, gasOf(result));
  return result;
}

/** As {@link runJob}, for callers that count the gas themselves. */
export function executeJob<Job extends ExecutionJob>(context: RequestContext, job: Job): Promise<ResultOf<Job>> {
  const { registry, principal } = context;
  // Read by what waits or takes long: making one costs as much as a light call.
  return registry.execute(job, {
    lane: principal.key.id,
    get signal() {
      return context.signal;
    },
  });
}

/** What a result has cost: an estimate as much as the transaction that it is for. */
function gasOf(result: ResultOf<ExecutionJob>): bigint {
  return 'kind' in result && result.kind === 'estimate' ? result.gas : (result as { readonly gasUsed: bigint }).gasUsed;
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
  return { chain, blockHash, call, stateOverrides: state, blockOverrides: block };
}

/** The error of code that did not succeed, as geth tells it. */
export function executionError(result: CallRevert | CallHalt): RpcError {
  return result.kind === 'revert'
    ? new RpcError('reverted', result.message, result.data)
    : new RpcError('server', result.reason);
}
