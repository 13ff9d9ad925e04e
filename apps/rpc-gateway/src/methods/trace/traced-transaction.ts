import type { Hex } from '@cairn/block-model';
import { type Awaitable, recordOptions, whenDone } from '@cairn/evm-executor';
import type { TraceBlockJob } from '@cairn/evm-executor/pool';
import { RawJson } from '@cairn/jsonrpc-core';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import type { CallExecutor } from '../execution/call-executor.ts';
import { transactionHashParam } from '../params.ts';
import { pathParam, traced, traceTypesParam } from './trace-params.ts';

export const traceTransaction = (executor: CallExecutor) =>
  define({
    name: 'trace_transaction',
    summary: 'Lists the calls of a transaction in the format of Parity.',
    params: [transactionHashParam],
    result:
      'A list of calls, creations and self-destructs in the order of their start; null for an unknown transaction.',
    ...traced,
    reveals: 'anything',
    handle: ([hash], context) => runOnTransaction(executor, context, 'trace_transaction', hash, recordOptions),
  });

export const traceGet = (executor: CallExecutor) =>
  define({
    name: 'trace_get',
    summary: 'Returns one call of a transaction, as trace_transaction lists it.',
    params: [transactionHashParam, pathParam],
    result: 'The call at the position; null for an unknown transaction, or if it has no such call.',
    ...traced,
    reveals: 'anything',
    handle: ([hash, path], context) =>
      runOnTransaction(executor, context, 'trace_get', hash, { ...recordOptions, path }),
  });

export const traceReplayTransaction = (executor: CallExecutor) =>
  define({
    name: 'trace_replayTransaction',
    summary: 'Traces a transaction in the format of Parity.',
    params: [transactionHashParam, traceTypesParam],
    result: 'output, stateDiff, trace, vmTrace and transactionHash; null for an unknown transaction.',
    ...traced,
    reveals: 'anything',
    handle: ([hash, options], context) => runOnTransaction(executor, context, 'trace_replayTransaction', hash, options),
  });

function runOnTransaction(
  executor: CallExecutor,
  context: RequestContext,
  method: string,
  hash: Hex,
  options: TraceBlockJob['options'],
): Awaitable<RawJson | null> {
  const place = context.chain.reader.transactionPlace(hash);
  if (place === undefined) return null;
  const { blockHash, index } = place;
  const chain = context.chain.network.name;
  const traced = executor.traceNow(context, method, { kind: 'traceBlock' as const, chain, blockHash, index, options });
  return whenDone(traced, ({ json }) => new RawJson(json));
}
