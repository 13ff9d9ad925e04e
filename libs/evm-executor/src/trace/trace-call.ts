import type { Block } from '@cairn/block-model';
import { StateCache, WorldState } from '@cairn/evm';
import { applyMessage, type MessageContext } from '../apply-message.ts';
import { replayBlock } from '../block/replay-block.ts';
import { callContext, cappedGas, defaultEngine, type ExecuteCallOptions } from '../execute-call.ts';
import { createTracer } from './create-tracer.ts';
import { traceDeadline } from './trace-deadline.ts';
import { withTraceRejections, withTraceTimeout } from './trace-errors.ts';
import type { TraceOptions } from './trace-options.ts';

export interface TraceCallOptions extends ExecuteCallOptions {
  /** Runs the call within `block`, before the transaction with this index. */
  readonly within?: { readonly block: Block; readonly index: number };
}

/** Trace as JSON text in geth's form, and the gas of everything that was executed for it. */
export interface TraceResult {
  readonly json: string;
  readonly gasUsed: bigint;
}

/**
 * Traces a call. With `within`, `state` is the state after the parent of the block.
 * @throws CALL_* if a node would refuse the call, OVERRIDE_INVALID, TRACE_TOO_LARGE, EXECUTION_TIMEOUT, and the errors of the state
 */
export function traceCall(options: TraceCallOptions, traceOptions: TraceOptions): Promise<TraceResult> {
  return withTraceTimeout(() => trace(options, traceOptions));
}

async function trace(options: TraceCallOptions, traceOptions: TraceOptions): Promise<TraceResult> {
  const { call, within } = options;
  const started = within && (await startWithin(options, within));
  const context = withParentHash(callContext(options, started && { world: started.world }), options);
  const gasLimit = cappedGas(call.gas, options);
  const tracer = createTracer(traceOptions);
  tracer.begin?.({ context, call, gasLimit, logsBefore: started?.logs ?? 0 });
  const applied = await withTraceRejections(() =>
    applyMessage(context, call, { gasLimit, tracer, deadline: traceDeadline(traceOptions, context.deadline) }),
  );
  return { json: tracer.result(applied), gasUsed: applied.gasUsed };
}

/** Replays a block up to a transaction. Returns the state, and the number of logs of the transactions before. */
async function startWithin(
  { spec, state, blockHashes, engine = defaultEngine(), limits }: TraceCallOptions,
  { block, index }: NonNullable<TraceCallOptions['within']>,
): Promise<{ readonly world: WorldState; readonly logs: number }> {
  const world = new WorldState(StateCache.of(state));
  let logs = 0;
  let at = 0;
  const replay = { spec, block, world, blockHashes, engine, deadline: limits?.deadline };
  for await (const { run } of replayBlock(replay)) {
    if (at++ === index) break;
    logs += (await run()).outcome.logs.length;
  }
  return { world, logs };
}

/** Adds the hash of `header` for BLOCKHASH if overrides describe the block after it, as geth does. */
function withParentHash(context: MessageContext, { header, blockOverrides }: TraceCallOptions): MessageContext {
  if (blockOverrides?.number !== header.number + 1n) return context;
  const { blockHash } = context;
  return { ...context, blockHash: (number) => (number === header.number ? header.hash : blockHash(number)) };
}
