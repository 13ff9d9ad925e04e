import { StateCache } from '@cairn/evm';
import type { CallRequest } from '../call-request.ts';
import { CallRejectedError, TraceTooLargeError } from '../errors.ts';
import { callContext, type ExecuteCallOptions } from '../execute-call.ts';
import { RecordingWorld } from './parity/recording-world.ts';
import { type TraceResult, traceMessage } from './trace-call.ts';
import { withTraceTimeout } from './trace-errors.ts';
import { traceCharactersMax } from './trace-limits.ts';
import type { TracerOptions } from './trace-options.ts';

/** A call of {@link traceCalls}. */
export interface TracedCall {
  readonly call: CallRequest;
  readonly options: TracerOptions<'parity'>;
}

/**
 * Traces calls as transactions of one block: each sees the changes of those before it. State overrides apply before the first.
 * @throws CALL_* with `details.index` if a node would refuse one of them, and the errors of `traceCall`
 */
export async function traceCalls(
  options: Omit<ExecuteCallOptions, 'call'>,
  calls: readonly TracedCall[],
): Promise<TraceResult> {
  return withTraceTimeout(() => traceEach(options, calls));
}

async function traceEach(
  options: Omit<ExecuteCallOptions, 'call'>,
  calls: readonly TracedCall[],
): Promise<TraceResult> {
  const world = new RecordingWorld(StateCache.of(options.state));
  const context = callContext({ ...options, call: {} }, { world });
  const traces: string[] = [];
  let gasUsed = 0n;
  let characters = 0;
  for (const [index, { call, options: traceOptions }] of calls.entries()) {
    const traced = await withIndex(index, () => traceMessage(context, call, { ...options, call }, traceOptions));
    gasUsed += traced.gasUsed;
    characters += traced.json.length;
    if (characters > traceCharactersMax) throw new TraceTooLargeError(traceCharactersMax, 'characters');
    traces.push(traced.json);
  }
  return { json: `[${traces.join(',')}]`, gasUsed };
}

/** Adds the position of a refused call to its error. */
async function withIndex<T>(index: number, trace: () => Promise<T>): Promise<T> {
  try {
    return await trace();
  } catch (error) {
    if (!(error instanceof CallRejectedError)) throw error;
    const { code, message, hint = '', details } = error;
    throw new CallRejectedError(code, `call ${index}: ${message}`, hint, { ...details, index });
  }
}
