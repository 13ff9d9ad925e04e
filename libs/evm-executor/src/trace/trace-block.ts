import type { StateReader } from '@cairn/block-model';
import { StateCache, WorldState } from '@cairn/evm';
import { type ReplayBlockOptions, replayBlock } from '../block/replay-block.ts';
import type { CallChecks } from '../check-message.ts';
import { TraceTooLargeError } from '../errors.ts';
import { createTracer } from './create-tracer.ts';
import type { TraceResult } from './trace-call.ts';
import { traceDeadline } from './trace-deadline.ts';
import { withTraceRejections, withTraceTimeout } from './trace-errors.ts';
import { traceCharactersMax } from './trace-limits.ts';
import type { TraceOptions } from './trace-options.ts';

export interface TraceBlockOptions extends Omit<ReplayBlockOptions, 'world'> {
  /** State after the parent. */
  readonly state: StateReader;
  readonly options: TraceOptions;
  /** Index of the only transaction to trace. Its trace is returned alone, not in a list. */
  readonly index?: number;
  /** Checks of the transactions. Default: none, which suits a verified block. */
  readonly checks?: CallChecks;
}

/**
 * Traces the transactions of a block.
 * @throws CALL_* if `checks` fail, TRACE_TOO_LARGE, EXECUTION_TIMEOUT, and the errors of the state
 */
export function traceBlock(options: TraceBlockOptions): Promise<TraceResult> {
  return withTraceTimeout(() => traceTransactions(options));
}

async function traceTransactions({
  state,
  options,
  index,
  checks,
  ...replay
}: TraceBlockOptions): Promise<TraceResult> {
  const world = new WorldState(StateCache.of(state));
  const { block } = replay;
  const traces: string[] = [];
  let characters = 0;
  let at = 0;
  let logsBefore = 0;
  let gasUsed = 0n;
  for await (const { transaction, call, context, run } of replayBlock({ ...replay, world })) {
    const position = at++;
    if (index !== undefined && position !== index) {
      const applied = await run();
      logsBefore += applied.outcome.logs.length;
      gasUsed += applied.gasUsed;
      continue;
    }
    const { hash } = transaction;
    const { hash: blockHash, number: blockNumber } = block.header;
    const tracer = createTracer(options);
    const place = { blockHash, blockNumber, hash, index: position };
    tracer.begin?.({ context, call, gasLimit: transaction.gas, logsBefore, place });
    const applied = await withTraceRejections(() =>
      run({ tracer, deadline: traceDeadline(options, context.deadline), ...(checks && { checks }) }),
    );
    const result = tracer.result(applied);
    gasUsed += applied.gasUsed;
    if (index !== undefined) return { json: result, gasUsed };
    logsBefore += applied.outcome.logs.length;
    traces.push(`{"txHash":"${hash}","result":${result}}`);
    characters += result.length;
    if (characters > traceCharactersMax) throw new TraceTooLargeError(traceCharactersMax, 'characters');
  }
  return { json: `[${traces.join(',')}]`, gasUsed };
}
