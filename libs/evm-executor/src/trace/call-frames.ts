import { type Hex, hexFromBytes, type Log } from '@cairn/block-model';
import type { EngineFrame, EngineFrameEnd, FrameKind } from '@cairn/evm';
import type { AppliedMessage } from '../apply-message.ts';
import { TraceTooLargeError } from '../errors.ts';
import { decodeRevertReason } from '../revert-reason.ts';
import { framesMax } from './trace-limits.ts';
import type { TracedMessage } from './transaction-tracer.ts';

/** A log with its index in the block, and the number of calls that its frame made before it. */
export interface FrameLog extends Log {
  readonly index: number;
  readonly position: number;
}

/** A call of a trace. */
export interface CallFrame {
  readonly kind: FrameKind;
  readonly from: Hex;
  /** Undefined for failed creations. */
  to: Hex | undefined;
  readonly value: bigint | undefined;
  gas: bigint;
  gasUsed: bigint;
  readonly input: Hex;
  output: Hex;
  error: string | undefined;
  revertReason: string | undefined;
  readonly calls: CallFrame[];
  logs: FrameLog[];
}

/** Builds the tree of calls of a transaction, as geth's callTracer does. */
export class CallFrames<Frame extends CallFrame = CallFrame> {
  readonly #make: (frame: CallFrame) => Frame;
  readonly #open: Frame[] = [];
  #top: Frame | undefined;
  #count = 0;
  #gasLimit = 0n;
  #logsBefore = 0;

  /** @param make adds the tracer's own fields to a frame */
  constructor(make: (frame: CallFrame) => Frame) {
    this.#make = make;
  }

  begin({ gasLimit, logsBefore }: TracedMessage): void {
    this.#gasLimit = gasLimit;
    this.#logsBefore = logsBefore;
  }

  /** Frame that is executing. */
  get current(): Frame | undefined {
    return this.#open.at(-1);
  }

  /** Outermost call; undefined before it begins. */
  get top(): Frame | undefined {
    return this.#top;
  }

  /** @throws TRACE_TOO_LARGE */
  enter({ kind, from, to, value, gas, input }: EngineFrame): Frame {
    if (++this.#count > framesMax) throw new TraceTooLargeError(framesMax, 'calls');
    const isTop = this.#top === undefined;
    const frame = this.#make({
      kind,
      from: hexFromBytes(from),
      to: hexFromBytes(to),
      value,
      gas: isTop ? this.#gasLimit : gas,
      gasUsed: 0n,
      input: hexFromBytes(input),
      output: '0x',
      error: undefined,
      revertReason: undefined,
      calls: [],
      logs: [],
    });
    this.#top ??= frame;
    this.#open.push(frame);
    return frame;
  }

  /** @returns the ended frame and its parent */
  exit({ gasUsed, output, error, isReverted }: EngineFrameEnd): readonly [frame: Frame | undefined, above?: Frame] {
    const frame = this.#open.pop();
    if (frame === undefined) return [undefined];
    frame.gasUsed = gasUsed;
    finish(frame, output, isReverted ? error : undefined);
    const above = this.#open.at(-1);
    if (above === undefined) return [frame];
    above.calls.push(frame);
    return [frame, above];
  }

  log({ address, topics, data }: Log, index: number): void {
    const frame = this.current;
    if (frame === undefined) return;
    frame.logs.push({ address, topics, data, index: this.#logsBefore + index, position: frame.calls.length });
  }

  /** Sets the gas of the outermost call to that of the transaction, and removes the logs of failed calls. */
  settle({ gasUsed }: AppliedMessage): Frame | undefined {
    const top = this.#top;
    if (top === undefined) return undefined;
    top.gasUsed = gasUsed;
    clearLogs(top, false);
    return top;
  }
}

function finish(frame: CallFrame, output: Uint8Array, error: string | undefined): void {
  if (error === undefined) {
    frame.output = hexFromBytes(output);
    return;
  }
  frame.error = error;
  if (frame.kind === 'CREATE' || frame.kind === 'CREATE2') frame.to = undefined;
  if (error !== 'execution reverted' || output.length === 0) return;
  frame.output = hexFromBytes(output);
  frame.revertReason = decodeRevertReason(output);
}

function clearLogs(frame: CallFrame, isUndone: boolean): void {
  const hasFailed = isUndone || frame.error !== undefined;
  if (hasFailed) frame.logs = [];
  for (const call of frame.calls) clearLogs(call, hasFailed);
}
