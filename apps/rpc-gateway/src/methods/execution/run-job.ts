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

/** Runs a job on a block in a worker, in the lane of the key that asks. */
export function runJob<Job extends ExecutionJob>(context: RequestContext, job: Job): Promise<ResultOf<Job>> {
  const { registry, principal } = context;
  // Read by what waits or takes long: making one costs as much as a light call.
  return registry.execute(job, {
    lane: principal.key.id,
    get signal() {
      return context.signal;
    },
  });
}

/** The parts of a job that runs a message. @throws RpcError where there is no such block */
export function messageJob(
  context: RequestContext,
  call: CallRequest,
  id: BlockId = { tag: 'latest' },
  { state, block }: { readonly state?: StateOverrides | undefined; readonly block?: BlockOverrides | undefined } = {},
) {
  return {
    chain: context.chain.network.name,
    blockHash: requireHeader(context, id).hash,
    call,
    ...(state && { stateOverrides: state }),
    ...(block && { blockOverrides: block }),
  };
}

/** The error of code that did not succeed, as geth tells it. */
export function executionError(result: CallRevert | CallHalt): RpcError {
  return result.kind === 'revert'
    ? new RpcError('reverted', result.message, result.data)
    : new RpcError('server', result.reason);
}
