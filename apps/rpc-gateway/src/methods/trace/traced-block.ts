import { recordOptions } from '@cairn/evm-executor';
import type { JsonResult, TraceBlockJob } from '@cairn/evm-executor/pool';
import { RawJson } from '@cairn/jsonrpc-core';
import { type BlockId, blockIdParam, isPending } from '../../block-id.ts';
import type { RequestContext } from '../../request-context.ts';
import { requireTracedHeader } from '../debug/traced-block.ts';
import { define } from '../define.ts';
import type { CallExecutor } from '../execution/call-executor.ts';
import { traced, traceTypesParam } from './trace-params.ts';

export const traceBlock = (executor: CallExecutor) =>
  define({
    name: 'trace_block',
    summary: 'Lists the calls of a block in the format of Parity.',
    params: [blockIdParam],
    result:
      'A list of calls, creations and self-destructs in the order of their start; before the merge also the rewards.',
    ...traced,
    reveals: 'anything',
    handle: ([id], context) => runOnBlock(executor, context, 'trace_block', id, recordOptions),
  });

export const traceReplayBlockTransactions = (executor: CallExecutor) =>
  define({
    name: 'trace_replayBlockTransactions',
    summary: 'Traces each transaction of a block in the format of Parity.',
    params: [blockIdParam, traceTypesParam],
    result: 'A list with output, stateDiff, trace, vmTrace and transactionHash of each transaction.',
    ...traced,
    reveals: 'anything',
    handle: ([id, options], context) => runOnBlock(executor, context, 'trace_replayBlockTransactions', id, options),
  });

/** Traces a whole block. The genesis and the pending block have no transactions. @throws RpcError if it is unknown */
async function runOnBlock(
  executor: CallExecutor,
  context: RequestContext,
  method: string,
  id: BlockId,
  options: TraceBlockJob['options'],
): Promise<unknown> {
  if (isPending(id)) return [];
  const { number, hash } = requireTracedHeader(context, id);
  if (number === 0n) return [];
  return new RawJson((await runBlockJob(executor, context, method, { blockHash: hash, options })).json);
}

/** Runs a trace of a block, or of one of its transactions. */
export function runBlockJob(
  executor: CallExecutor,
  context: RequestContext,
  method: string,
  job: Omit<TraceBlockJob, 'kind' | 'chain'>,
): Promise<JsonResult> {
  const chain = context.chain.network.name;
  return executor.runByTime(context, method, { kind: 'traceBlock' as const, chain, ...job });
}
