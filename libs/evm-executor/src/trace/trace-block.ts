import { StateCache, WorldState } from '@cairn/evm';
import { TraceTooLargeError } from '../errors.ts';
import { createTracer } from './create-tracer.ts';
import { RecordingWorld } from './parity/recording-world.ts';
import { traceRecords } from './parity/trace-records.ts';
import type { TraceResult } from './trace-call.ts';
import { withTraceTimeout } from './trace-errors.ts';
import { traceCharactersMax } from './trace-limits.ts';
import { type TraceBlockOptions, traceTransactions } from './trace-transactions.ts';

/**
 * Traces the transactions of a block.
 * @throws CALL_* if `checks` fail, TRACE_TOO_LARGE, EXECUTION_TIMEOUT, and the errors of the state
 */
export function traceBlock(options: TraceBlockOptions): Promise<TraceResult> {
  const traces = options.options;
  return withTraceTimeout(() =>
    traces.tracer === 'parity' && traces.form === 'records' ? traceRecords(options, traces) : traceEach(options),
  );
}

async function traceEach({ state, ...place }: TraceBlockOptions): Promise<TraceResult> {
  const { options, index, lightCharactersMax } = place;
  const isParity = options.tracer === 'parity';
  const world = isParity ? new RecordingWorld(StateCache.of(state)) : new WorldState(StateCache.of(state));
  const traces: string[] = [];
  let characters = 0;
  let gasUsed = 0n;
  for await (const { hash, tracer, applied, gasSoFar } of traceTransactions({ ...place, world }, () =>
    createTracer(options, lightCharactersMax),
  )) {
    gasUsed = gasSoFar;
    const result = tracer.result(applied);
    if (index !== undefined) return { json: result, gasUsed };
    traces.push(isParity ? result : `{"txHash":"${hash}","result":${result}}`);
    characters += result.length;
    if (characters > traceCharactersMax) throw new TraceTooLargeError(traceCharactersMax, 'characters');
  }
  return { json: `[${traces.join(',')}]`, gasUsed };
}
