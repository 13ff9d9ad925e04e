import { type CallRequest, whenDone } from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';
import { optionalBlockIdParam } from '../../block-id.ts';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { executionPrefix, onceIn } from '../handle-over-upstreams.ts';
import { cachedCall } from './call-cache.ts';
import type { CallExecutor } from './call-executor.ts';
import { blockOverridesParam, callParam, stateOverridesParam } from './call-params.ts';
import { executionError, messageJob } from './message-job.ts';

const ethCallEffect = `${executionPrefix}eth_call`;

export const ethCall = (executor: CallExecutor) =>
  define({
    name: 'eth_call',
    summary:
      'Executes a call on the state after a block and discards its changes. `gas` is capped at 10 times the gas limit of the block.',
    params: [callParam, optionalBlockIdParam, stateOverridesParam, blockOverridesParam],
    result: 'The return data of the call; "0x" if it is empty.',
    errors: ['reverted', 'server'],
    cost: 20,
    reveals: { contracts: ([call]) => [call.to], overrides: ([, , state]) => [state] },
    handle([call, id, state, block], context) {
      requireFrom(call, context);
      const job = messageJob(context, call, id, { state, block });
      const execute = () => executor.runWithoutGas(context, 'eth_call', job);
      const { chain: network, blockHash, blockOverrides } = job;
      const { contracts } = context.principal.key.policy;
      const isPlain = state === undefined && blockOverrides === undefined;
      const executeNow = () => executor.runNow(context, 'eth_call', job);
      const run = () =>
        isPlain
          ? cachedCall({ network, blockHash, call, contracts }, execute, executeNow)
          : (executeNow() ?? execute());
      const result = context.once === undefined ? run() : onceIn(context, ethCallEffect, async () => run());
      return whenDone(result, (done) => {
        // A cached result has the same price.
        context.meter.addGas('eth_call', done.gasUsed);
        if (done.kind === 'success') return done.output;
        throw executionError(done);
      });
    },
  });

/** Refuses a call without `from`, unless the network or the policy of the key allows it. @throws RpcError */
export function requireFrom(
  { from }: CallRequest,
  { chain: { network }, principal: { key } }: Pick<RequestContext, 'chain' | 'principal'>,
): void {
  if (from !== undefined || !network.requireFrom || key.policy.grants?.includes('call-without-from')) return;
  throw new RpcError(
    'params',
    'parameter 1, call.from: expected the address of the caller; this network requires it. Give an account to your client, allow "calls without from" for the key (console, or cairn key limit --grants call-without-from), or set "requireFrom": false for the network in the networks file.',
  );
}
