import type { StateReader } from '@cairn/block-model';
import { type ReplayBlockOptions, replayBlock } from '../block/replay-block.ts';
import type { CallChecks } from '../check-message.ts';
import { TraceTooLargeError } from '../errors.ts';
import { StateCache } from '../state-cache.ts';
import { WorldState } from '../world-state.ts';
import { applyTraced, withTraceTimeout } from './apply-traced.ts';
import { createTracer } from './create-tracer.ts';
import type { Traced } from './trace-call.ts';
import { deadlineOf } from './trace-deadline.ts';
import { traceCharactersMax } from './trace-limits.ts';
import type { TraceOptions } from './trace-options.ts';

export interface TraceBlockOptions extends Omit<ReplayBlockOptions, 'world'> {
  /** The state after the parent. */
  readonly state: StateReader;
  readonly options: TraceOptions;
  /** Only this transaction, reported by itself rather than in a list. */
  readonly index?: number;
  /** Checks of the transactions. Default: none, since the block was verified. */
  readonly checks?: CallChecks;
}

/**
 * Reports the transactions of a block as JSON text in geth's form, and the gas of all that was executed for it.
 * @throws CALL_* where `checks` do not hold, TRACE_TOO_LARGE, EXECUTION_TIMEOUT, and what the state throws
 */
export function traceBlock(options: TraceBlockOptions): Promise<Traced> {
  return withTraceTimeout(() => traceTransactions(options));
}

async function traceTransactions({ state, options, index, checks, ...replay }: TraceBlockOptions): Promise<Traced> {
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
    const applied = await applyTraced(() =>
      run({ tracer, deadline: deadlineOf(options, context.deadline), ...(checks && { checks }) }),
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
