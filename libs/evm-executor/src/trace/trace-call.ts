import type { Block } from '@cairn/block-model';
import { addressFromHex, StateCache, WorldState, zeroAddress } from '@cairn/evm';
import { applyMessage, type MessageContext } from '../apply-message.ts';
import { replayBlock } from '../block/replay-block.ts';
import type { CallRequest } from '../call-request.ts';
import type { CallChecks } from '../check-message.ts';
import { callContext, callLimits, cappedGas, defaultEngine, type ExecuteCallOptions } from '../execute-call.ts';
import { createTracer } from './create-tracer.ts';
import { RecordingWorld } from './parity/recording-world.ts';
import { traceDeadline } from './trace-deadline.ts';
import { withTraceRejections, withTraceTimeout } from './trace-errors.ts';
import type { TraceOptions } from './trace-options.ts';

export interface TraceCallOptions extends ExecuteCallOptions {
  /** Runs the call within `block`, before the transaction with this index. */
  readonly within?: { readonly block: Block; readonly index: number };
  /** The call is a signed transaction: its nonce, its fees and its sender are checked. Default false. */
  readonly isTransaction?: boolean | undefined;
}

/** Trace as JSON text, and the gas of everything that was executed for it. */
export interface TraceResult {
  readonly json: string;
  readonly gasUsed: bigint;
  /** Number of records of a block that match a filter, including those that are left out. */
  readonly records?: number;
}

/**
 * Traces a call. With `within`, `state` is the state after the parent of the block.
 * @throws CALL_* if a node would refuse the call, OVERRIDE_INVALID, TRACE_TOO_LARGE, EXECUTION_TIMEOUT, and the errors of the state
 */
export async function traceCall(options: TraceCallOptions, traceOptions: TraceOptions): Promise<TraceResult> {
  return withTraceTimeout(() => trace(options, traceOptions));
}

async function trace(options: TraceCallOptions, traceOptions: TraceOptions): Promise<TraceResult> {
  const { call, within } = options;
  const started = within && (await startWithin(options, within));
  const world = traceOptions.tracer === 'parity' ? new RecordingWorld(StateCache.of(options.state)) : started?.world;
  const context = withParentHash(callContext(options, world && { world }), options);
  return traceMessage(context, call, options, traceOptions, started?.logs);
}

/** Traces one message on the state of a context. @throws the errors of {@link traceCall} */
export async function traceMessage(
  context: MessageContext,
  call: CallRequest,
  options: TraceCallOptions,
  traceOptions: TraceOptions,
  logsBefore = 0,
): Promise<TraceResult> {
  const checks = options.isTransaction === true ? transactionChecks(context, call, options) : undefined;
  // The gas of a signed transaction cannot be lowered: above the cap, the checks refuse it.
  const gasLimit = (checks && call.gas) ?? cappedGas(call.gas, options);
  const tracer = createTracer(traceOptions);
  tracer.begin?.({ context, call, gasLimit, logsBefore });
  const apply = () =>
    applyMessage(context, call, {
      gasLimit,
      tracer,
      deadline: traceDeadline(traceOptions, context.deadline),
      ...(checks && { checks, hidesPrices: false }),
    });
  // Only debug methods have geth's prefix in their refusals.
  const applied = await (traceOptions.tracer === 'parity' ? apply() : withTraceRejections(apply));
  return { json: tracer.result(applied), gasUsed: applied.gasUsed };
}

/** Checks of a signed transaction that is not in a block. */
function transactionChecks(
  { world }: MessageContext,
  call: CallRequest,
  { header, limits }: TraceCallOptions,
): CallChecks {
  const multiplier = BigInt(limits?.gasCapMultiplier ?? callLimits.gasCapMultiplier);
  return {
    followsNonce: true,
    paysBaseFee: true,
    transaction: {
      senderCode: world.getCode(addressFromHex(call.from ?? zeroAddress)),
      blockGasLeft: header.gasLimit * multiplier,
      blobsLeft: BigInt(call.blobVersionedHashes?.length ?? 0),
    },
  };
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
