import type { Block } from '@cairn/block-model';
import { applyMessage, type MessageContext } from '../apply-message.ts';
import { replayBlock } from '../block/replay-block.ts';
import { callContext, cappedGas, defaultEngine, type ExecuteCallOptions } from '../execute-call.ts';
import { StateCache } from '../state-cache.ts';
import { WorldState } from '../world-state.ts';
import { applyTraced, withTraceTimeout } from './apply-traced.ts';
import { createTracer } from './create-tracer.ts';
import { deadlineOf } from './trace-deadline.ts';
import type { TraceOptions } from './trace-options.ts';

export interface TraceCallOptions extends ExecuteCallOptions {
  /** The call runs before the transaction of this place in `block`, on the state after the transactions before it. */
  readonly within?: { readonly block: Block; readonly index: number };
}

/** A trace as JSON text, and the gas of all that was executed for it. */
export interface Traced {
  readonly json: string;
  readonly gasUsed: bigint;
}

/**
 * Reports what happens in a call as JSON text in geth's form, and the gas it used. With `within`, `state` is that after the
 * parent of the block.
 * @throws CALL_* where no node would start the call, OVERRIDE_INVALID, TRACE_TOO_LARGE, EXECUTION_TIMEOUT, and what the
 *   state throws
 */
export function traceCall(options: TraceCallOptions, traceOptions: TraceOptions): Promise<Traced> {
  return withTraceTimeout(() => trace(options, traceOptions));
}

async function trace(options: TraceCallOptions, traceOptions: TraceOptions): Promise<Traced> {
  const { call, within } = options;
  const started = within && (await startWithin(options, within));
  const context = withParentHash(callContext(options, started && { world: started.world }), options);
  const gasLimit = cappedGas(call.gas, options);
  const tracer = createTracer(traceOptions);
  tracer.begin?.({ context, call, gasLimit, logsBefore: started?.logs ?? 0 });
  const applied = await applyTraced(() =>
    applyMessage(context, call, { gasLimit, tracer, deadline: deadlineOf(traceOptions, context.deadline) }),
  );
  return { json: tracer.result(applied), gasUsed: applied.gasUsed };
}

/** The state in a block before one of its transactions, and the logs up to there. */
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

/** A block that is pretended to follow sees the hash of the one before it, as in geth. */
function withParentHash(context: MessageContext, { header, blockOverrides }: TraceCallOptions): MessageContext {
  if (blockOverrides?.number !== header.number + 1n) return context;
  const { blockHash } = context;
  return { ...context, blockHash: (number) => (number === header.number ? header.hash : blockHash(number)) };
}
