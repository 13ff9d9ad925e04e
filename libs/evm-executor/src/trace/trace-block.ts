import { type Awaitable, WorldState, whenDone } from '@cairn/evm';
import { TraceTooLargeError } from '../errors.ts';
import { createTracer } from './create-tracer.ts';
import { RecordingWorld } from './parity/recording-world.ts';
import { traceRecords } from './parity/trace-records.ts';
import type { TraceResult } from './trace-call.ts';
import { withTraceTimeout } from './trace-errors.ts';
import { traceCharactersMax } from './trace-limits.ts';
import { type TraceBlockOptions, traceTransactions } from './trace-transactions.ts';

/**
 * Traces the transactions of a block. A trace of one transaction needs no promise if its start is kept and its engine returns none.
 * @throws CALL_* if `checks` fail, TRACE_TOO_LARGE, EXECUTION_TIMEOUT, and the errors of the state
 */
export function traceBlock(options: TraceBlockOptions): Awaitable<TraceResult> {
  const traces = options.options;
  return withTraceTimeout(() =>
    traces.tracer === 'parity' && traces.form === 'records' ? traceRecords(options, traces) : traceEach(options),
  );
}

function traceEach(place: TraceBlockOptions): Awaitable<TraceResult> {
  const { options, index, lightCharactersMax } = place;
  const isParity = options.tracer === 'parity';
  const traces: string[] = [];
  let characters = 0;
  let gasUsed = 0n;
  const ended = traceTransactions(place, {
    createWorld: (cache) => (isParity ? new RecordingWorld(cache) : new WorldState(cache)),
    createTracer: () => createTracer(options, lightCharactersMax),
    onTraced({ hash, tracer, applied, gasSoFar }) {
      gasUsed = gasSoFar;
      const result = tracer.result(applied);
      traces.push(isParity || index !== undefined ? result : `{"txHash":"${hash}","result":${result}}`);
      characters += result.length;
      if (index === undefined && characters > traceCharactersMax)
        throw new TraceTooLargeError(traceCharactersMax, 'characters');
    },
  });
  return whenDone(ended, () => {
    const [only] = traces;
    return { json: index !== undefined && only !== undefined ? only : `[${traces.join(',')}]`, gasUsed };
  });
}
