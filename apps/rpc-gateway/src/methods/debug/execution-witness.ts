import { RawJson, RpcError } from '@cairn/jsonrpc-core';
import { blockIdParam } from '../../block-param.ts';
import { define } from '../define.ts';
import { runTimedJob, workerTimeSurcharge } from '../execution/run-job.ts';
import { nameOf, requireTracedHeader } from './traced-block.ts';

export const debugExecutionWitness = define({
  name: 'debug_executionWitness',
  summary: 'What another node needs to run a block without a state of its own.',
  params: [blockIdParam],
  result:
    'headers (the parent, with those before it whose hashes the block asks for), codes, state (nodes of tries), keys (null, as in geth).',
  errors: ['server'],
  cost: 300,
  surcharge: workerTimeSurcharge,
  reveals: 'anything',
  async handle([id], context) {
    const header = requireTracedHeader(context, id);
    if (header.number === 0n) throw new RpcError('server', `block ${nameOf(id)} found, but parent missing`);
    const job = { kind: 'executionWitness' as const, chain: context.chain.network.name, blockHash: header.hash };
    return new RawJson((await runTimedJob(context, 'debug_executionWitness', job)).json);
  },
});
