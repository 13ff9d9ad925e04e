import { type Hex, hexFromBytes, quantity } from '@cairn/block-model';
import type { CallRefusal, CallResult } from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';
import { encodeCallWitness } from '@cairn/verify';
import { isPending, optionalBlockIdParam } from '../../block-id.ts';
import { requireHeader } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { type CallExecutor, workerTimeSurcharge } from './call-executor.ts';
import { blockOverridesParam, callParam, stateOverridesParam } from './call-params.ts';
import { requireFrom } from './eth-call.ts';
import { executionError } from './message-job.ts';

/** Most bytes of headers, codes and trie nodes in one witness. */
const witnessBytesMax = 4 * 1024 * 1024;

export const cairnCall = (executor: CallExecutor) =>
  define({
    name: 'cairn_call',
    summary: `Executes a call as eth_call does, and returns a witness from which @cairn/verify repeats it without state. Witnesses have up to ${witnessBytesMax} bytes.`,
    params: [callParam, optionalBlockIdParam, stateOverridesParam, blockOverridesParam],
    result:
      'blockHash and blockNumber; result (the return data) or error (code, message and data, as eth_call returns them); gasUsed; witness. Equal calls on one block have equal results.',
    errors: ['server', 'limit'],
    cost: 40,
    surcharge: workerTimeSurcharge,
    reveals: { contracts: ([call]) => [call.to], overrides: ([, , state]) => [state] },
    async handle([call, id, stateOverrides, blockOverrides], context) {
      const { network, reader } = context.chain;
      requireFrom(call, context);
      if (id !== undefined && isPending(id))
        throw new RpcError(
          'params',
          'parameter 2, block: the pending block has no hash to verify against. Use latest.',
        );
      const { hash: blockHash, number } = requireHeader(context, id ?? { tag: 'latest' });
      const message = { call, stateOverrides, blockOverrides };
      const job = {
        kind: 'callWitness' as const,
        chain: network.name,
        blockHash,
        ...message,
        bytesMax: witnessBytesMax,
      };
      const { result, headers, codes, nodes, gasUsed } = await executor.runByTime(context, 'cairn_call', job);
      const parts = { chainId: reader.chainId, message, headers, codes, nodes, result };
      return {
        blockHash,
        blockNumber: quantity(number),
        ...resultJson(result),
        gasUsed: quantity(gasUsed),
        witness: hexFromBytes(encodeCallWitness(parts)),
      };
    },
  });

interface ErrorJson {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

function resultJson(result: CallResult | CallRefusal): { readonly result: Hex } | { readonly error: ErrorJson } {
  if (result.kind === 'success') return { result: result.output };
  const {
    rpcCode: code,
    message,
    data,
  } = result.kind === 'refusal' ? new RpcError('server', result.message) : executionError(result);
  return { error: { code, message, ...(data !== undefined && { data }) } };
}
