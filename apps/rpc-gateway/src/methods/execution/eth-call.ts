import type { CallRequest } from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';
import { optionalBlockIdParam } from '../../block-param.ts';
import { define } from '../define.ts';
import { cachedCall } from './call-cache.ts';
import { blockOverridesParam, callParam, stateOverridesParam } from './call-params.ts';
import { executeJob, executionError, messageJob } from './run-job.ts';

export const ethCall = define({
  name: 'eth_call',
  summary:
    'Runs a call on the state after a block and throws its changes away. `gas` is capped at 10 times the gas limit of the block.',
  params: [callParam, optionalBlockIdParam, stateOverridesParam, blockOverridesParam],
  result: 'What the call returned, "0x" for nothing.',
  errors: ['reverted', 'server'],
  cost: 20,
  reveals: { contracts: ([call]) => [call.to], overrides: ([, , state]) => [state] },
  async handle([call, id, state, block], context) {
    requireFrom(call, context.chain.network.requireFrom);
    const job = messageJob(context, call, id, { state, block });
    const execute = () => executeJob(context, 'eth_call', job);
    const { chain: network, blockHash, blockOverrides } = job;
    const { contracts } = context.principal.key.policy;
    const isPlain = state === undefined && blockOverrides === undefined;
    const result = await (isPlain ? cachedCall({ network, blockHash, call, contracts }, execute) : execute());
    // From a cache too: what is asked has its price, whoever asked before.
    context.meter.addGas('eth_call', result.gasUsed);
    if (result.kind === 'success') return result.output;
    throw executionError(result);
  },
});

function requireFrom({ from }: CallRequest, isRequired: boolean): void {
  if (from !== undefined || !isRequired) return;
  throw new RpcError(
    'params',
    'parameter 1, call.from: expected the address that calls; it is required on this network. Give an account to your client, or set "requireFrom": false for the network in the networks file.',
  );
}
