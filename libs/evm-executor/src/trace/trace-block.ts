import type { StateReader } from '@cairn/block-model';
import { type ReplayBlockOptions, replayBlock } from '../block/replay-block.ts';
import { TraceTooLargeError } from '../errors.ts';
import { StateCache } from '../state-cache.ts';
import { WorldState } from '../world-state.ts';
import { traceCharactersMax } from './struct-log-tracer.ts';
import type { TraceOptions } from './trace-options.ts';
import { createTracer } from './transaction-tracer.ts';

export interface TraceBlockOptions extends Omit<ReplayBlockOptions, 'world'> {
  /** The state after the parent. */
  readonly state: StateReader;
  readonly options: TraceOptions;
  /** Only this transaction, told by itself rather than in a list. */
  readonly index?: number;
}

/**
 * What happened in the transactions of a block, as JSON text in geth's form.
 * @throws TRACE_TOO_LARGE, and what the state throws
 */
export async function traceBlock({ state, options, index, ...replay }: TraceBlockOptions): Promise<string> {
  const world = new WorldState(StateCache.of(state));
  const traces: string[] = [];
  let characters = 0;
  let at = 0;
  for await (const { transaction, call, context, run } of replayBlock({ ...replay, world })) {
    if (index !== undefined && at++ !== index) continue;
    const tracer = createTracer(options);
    tracer.begin?.(context, call);
    const applied = await run(tracer);
    const result = tracer.result(applied, transaction.gas);
    if (index !== undefined) return result;
    traces.push(`{"txHash":"${transaction.hash}","result":${result}}`);
    characters += result.length;
    if (characters > traceCharactersMax) throw new TraceTooLargeError(traceCharactersMax);
  }
  return `[${traces.join(',')}]`;
}
