import type { Hex } from '@cairn/block-model';
import {
  type BlockOverrides,
  blobBaseFeeAt,
  type CallHalt,
  type CallRequest,
  type CallRevert,
  type ExecutionJob,
  forkRules,
  type ResultOf,
  type StateOverrides,
} from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, isPending, requireHeader } from '../../block-param.ts';
import { headOf, pendingFields } from '../../chains/pending-block.ts';
import type { RequestContext } from '../../request-context.ts';

/** Runs a job on a block in a worker, in the lane of the account that asks, charged to the method that is named. */
export async function runJob<Job extends ExecutionJob>(
  context: RequestContext,
  method: string,
  job: Job,
): Promise<ResultOf<Job>> {
  const result = await executeJob(context, job);
  context.meter.addGas(method, result.gasUsed);
  return result;
}

/** As {@link runJob}, for callers that count the gas themselves. */
export function executeJob<Job extends ExecutionJob>(context: RequestContext, job: Job): Promise<ResultOf<Job>> {
  const { registry, principal } = context;
  const { contracts } = principal.key.policy;
  // Read by what waits or takes long: making one costs as much as a light call.
  return registry.execute(contracts === undefined ? job : { ...job, contracts: contracts.map(asHex) }, {
    lane: principal.account.id,
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
