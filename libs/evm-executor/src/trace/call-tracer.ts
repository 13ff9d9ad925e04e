import { type Json, type Log, quantity } from '@cairn/block-model';
import type { EngineFrame, EngineFrameEnd } from '@cairn/evm';
import type { AppliedMessage } from '../apply-message.ts';
import { callFrameText } from './call-frame-text.ts';
import { type CallFrame, CallFrames } from './call-frames.ts';
import type { TracerOptions } from './trace-options.ts';
import type { TracedMessage, TransactionTracer } from './transaction-tracer.ts';

/** geth's callTracer: the tree of calls. */
export class CallTracer implements TransactionTracer {
  readonly #options: TracerOptions<'callTracer'>;
  readonly #frames = new CallFrames((frame) => frame);
  #depth = 0;

  constructor(options: TracerOptions<'callTracer'>) {
    this.#options = options;
  }

  begin(message: TracedMessage): void {
    this.#frames.begin(message);
  }

  onEnter(frame: EngineFrame): void {
    if (this.#depth++ === 0 || !this.#options.onlyTopCall) this.#frames.enter(frame);
  }

  onExit(end: EngineFrameEnd): void {
    if (--this.#depth === 0 || !this.#options.onlyTopCall) this.#frames.exit(end);
  }

  onLog(log: Log, index: number): void {
    if (this.#options.withLog && (this.#depth === 1 || !this.#options.onlyTopCall)) this.#frames.log(log, index);
  }

  result(applied: AppliedMessage): string {
    const top = this.#frames.settle(applied);
    return top === undefined ? '{}' : callFrameText(top);
  }
}

/** Fields that every call tracer reports, without nested calls. */
export function frameFieldsToJson(frame: CallFrame): Json {
  const { from, gas, gasUsed, to, input, output, error, revertReason, logs, value } = frame;
  return {
    from,
    gas: quantity(gas),
    gasUsed: quantity(gasUsed),
    ...(to !== undefined && { to }),
    input,
    ...(output !== '0x' && { output }),
    ...(error !== undefined && { error }),
    ...(revertReason !== undefined && revertReason !== '' && { revertReason }),
    ...(logs.length > 0 && {
      logs: logs.map(({ address, topics, data, index, position }) => ({
        address,
        topics,
        data,
        index: quantity(index),
        position: quantity(position),
      })),
    }),
    ...(value !== undefined && { value: quantity(value) }),
  };
}
