import {
  type BlockOverrides,
  blobBaseFeeAt,
  type CallHalt,
  type CallRequest,
  type CallRevert,
  forkRules,
  type StateOverrides,
} from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, isPending } from '../../block-id.ts';
import { headOf, pendingFields } from '../../chains/pending-block.ts';
import { type ChainScope, requireHeader } from '../../resolve-block.ts';

/** Builds the common fields of jobs that run a message. @throws RpcError if the chain has no such block */
export function messageJob(
  scope: ChainScope,
  call: CallRequest,
  id: BlockId = { tag: 'latest' },
  { state, block }: { readonly state?: StateOverrides | undefined; readonly block?: BlockOverrides | undefined } = {},
) {
  const { name: chain } = scope.chain.network;
  const { hash: blockHash } = requireHeader(scope, id);
  const blockOverrides = isPending(id) ? { ...pendingOverrides(scope), ...block } : block;
  return { chain, blockHash, call, stateOverrides: state, blockOverrides };
}

/** Expresses the pending block as overrides of the head. Its state is that of the head, since it changes no account. */
function pendingOverrides({ chain }: ChainScope): BlockOverrides {
  const { number, timestamp, gasLimit, baseFeePerGas, miner, mixHash, excessBlobGas, parentHash } = pendingFields(
    chain,
    headOf(chain),
  );
  const { spec } = chain.reader;
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

/** geth's error for code that reverted or halted. */
export function executionError(result: CallRevert | CallHalt): RpcError {
  return result.kind === 'revert'
    ? new RpcError('reverted', result.message, result.data)
    : new RpcError('server', result.reason);
}
