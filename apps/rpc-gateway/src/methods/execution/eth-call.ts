import { type CallRequest, parseBlockOverrides, parseCallRequest, parseStateOverrides } from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';
import { blockIdParam, requireHeader } from '../../block-param.ts';
import { define } from '../define.ts';

export const ethCall = define({
  name: 'eth_call',
  summary:
    'Runs a call on the state after a block and throws its changes away. `gas` is capped at 10 times the gas limit of the block.',
  params: [
    {
      name: 'call',
      summary: 'an object with from, to, data and what else a call takes.',
      parse: (_field: string, value: unknown) => parseCallRequest(value),
    },
    blockIdParam,
    {
      name: 'stateOverrides',
      summary: 'accounts to see changed, by address.',
      isRequired: false,
      parse: (_field: string, value: unknown) => parseStateOverrides(value),
    },
    {
      name: 'blockOverrides',
      summary: 'fields of the block to see changed.',
      isRequired: false,
      parse: (_field: string, value: unknown) => parseBlockOverrides(value),
    },
  ],
  result: 'What the call returned, "0x" for nothing.',
  async handle([call, id, stateOverrides, blockOverrides], context) {
    const { chain, registry, principal, signal } = context;
    requireFrom(call, chain.network.requireFrom);
    const { hash } = requireHeader(context, id);
    const job = {
      chain: chain.network.name,
      blockHash: hash,
      call,
      ...(stateOverrides && { stateOverrides }),
      ...(blockOverrides && { blockOverrides }),
    };
    const result = await registry.execute(job, { lane: principal.key.id, signal });
    if (result.kind === 'success') return result.output;
    if (result.kind === 'revert') throw new RpcError('reverted', result.message, result.data);
    throw new RpcError('server', result.reason);
  },
});

function requireFrom({ from }: CallRequest, isRequired: boolean): void {
  if (from !== undefined || !isRequired) return;
  throw new RpcError(
    'params',
    'parameter 1, call.from: expected the address that calls; it is required on this network. Give an account to your client, or set "requireFrom": false for the network in the networks file.',
  );
}
