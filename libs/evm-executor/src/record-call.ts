import type { Hex } from '@cairn/block-model';
import { StateCache } from '@cairn/evm';
import type { CallRefusal, CallResult } from './call-result.ts';
import { CallRejectedError } from './errors.ts';
import { type ExecuteCallOptions, executeCallOn } from './execute-call.ts';
import { RecordingState, RecordingWorld } from './recording-state.ts';

/** A call and its reads: the part of the state that somebody without state needs to repeat it. */
export interface RecordedCall {
  readonly result: CallResult | CallRefusal;
  /** Slots that were read, by account. Accounts without a read slot have an empty set. */
  readonly reads: ReadonlyMap<Hex, ReadonlySet<Hex>>;
  readonly codes: readonly Uint8Array[];
  /** Lowest block whose hash was read. */
  readonly lowestHash: bigint | undefined;
}

/**
 * Executes a call as {@link executeCall} does and records its reads. A call that a node refuses has a result, too, since the
 * refusal depends on the state.
 * @throws OVERRIDE_INVALID, CONTRACT_NOT_ALLOWED, EXECUTION_TIMEOUT with a deadline, and the errors of the state
 */
export async function recordCall(options: ExecuteCallOptions): Promise<RecordedCall> {
  const state = new RecordingState(options.state);
  const world = new RecordingWorld(StateCache.of(state));
  let lowestHash: bigint | undefined;
  const blockHashes = (number: bigint) => {
    if (lowestHash === undefined || number < lowestHash) lowestHash = number;
    return options.blockHashes(number);
  };
  const result = await resultOf({ ...options, state, blockHashes }, world);
  return { result, reads: state.reads, codes: [...world.codesRead.values()], lowestHash };
}

async function resultOf(options: ExecuteCallOptions, world: RecordingWorld): Promise<CallResult | CallRefusal> {
  try {
    return await executeCallOn(options, world);
  } catch (error) {
    if (!(error instanceof CallRejectedError)) throw error;
    return { kind: 'refusal', code: error.code, message: error.message, gasUsed: 0n };
  }
}
