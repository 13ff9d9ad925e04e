import { RawJson, RpcError } from '@cairn/jsonrpc-core';
import { blockIdParam } from '../../block-id.ts';
import { define } from '../define.ts';
import { type CallExecutor, workerTimeSurcharge } from '../execution/call-executor.ts';
import { nameOf, requireTracedHeader } from './traced-block.ts';

export const debugExecutionWitness = (executor: CallExecutor) =>
  define({
    name: 'debug_executionWitness',
    summary: 'Returns the data that a node without state needs to execute a block.',
    params: [blockIdParam],
    result:
      'headers (the parent, and earlier headers whose hashes the block reads), codes, state (trie nodes), keys (null, as in geth).',
    errors: ['server'],
    cost: 300,
    surcharge: workerTimeSurcharge,
    reveals: 'anything',
    async handle([id], context) {
      const header = requireTracedHeader(context, id);
      if (header.number === 0n) throw new RpcError('server', `block ${nameOf(id)} found, but parent missing`);
      const job = { kind: 'executionWitness' as const, chain: context.chain.network.name, blockHash: header.hash };
      return new RawJson((await executor.runByTime(context, 'debug_executionWitness', job)).json);
    },
  });
