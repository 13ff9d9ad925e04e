import { type Hex, hexFromBytes, type Json, type Log, quantity } from '@cairn/block-model';
import type { AppliedMessage } from '../apply-message.ts';
import type { EngineFrame, EngineFrameEnd, EngineStep } from '../engine/engine-tracer.ts';
import { addressOfWord, logOfStep } from '../engine/step-log.ts';
import { TraceTooLargeError } from '../errors.ts';
import { decodeRevertReason } from '../revert-reason.ts';
import type { TraceOptions } from './trace-options.ts';
import type { TransactionTracer } from './transaction-tracer.ts';

interface Frame {
  readonly kind: string;
  readonly from: Hex;
  readonly to: Hex;
  readonly value: bigint | undefined;
  gas: bigint;
  readonly input: Hex;
  readonly calls: Frame[];
  readonly logs: (Log & { readonly position: number; readonly index: number })[];
  end?: EngineFrameEnd;
}

const framesMax = 500_000;
const selfDestruct = 0xff;

/** geth's callTracer: the tree of calls. */
export class CallTracer implements TransactionTracer {
  readonly #options: Extract<TraceOptions, { tracer: 'callTracer' }>;
  readonly #open: Frame[] = [];
  #top: Frame | undefined;
  #frames = 0;
  #logs = 0;

  constructor(options: Extract<TraceOptions, { tracer: 'callTracer' }>) {
    this.#options = options;
  }

  onEnter({ kind, from, to, value, gas, input }: EngineFrame): void {
    this.#push({
      kind,
      from: hexFromBytes(from),
      to: hexFromBytes(to),
      value: kind === 'STATICCALL' ? undefined : value,
      gas,
      input: hexFromBytes(input),
      calls: [],
      logs: [],
    });
  }

  #push(frame: Frame): void {
    if (++this.#frames > framesMax) throw new TraceTooLargeError(framesMax);
    const above = this.#open.at(-1);
    if (above === undefined) this.#top = frame;
    else if (!this.#options.onlyTopCall) above.calls.push(frame);
    this.#open.push(frame);
  }

  onExit(end: EngineFrameEnd): void {
    const frame = this.#open.pop();
    if (frame) frame.end = end;
  }

  onStep(step: EngineStep): void {
    const frame = this.#open.at(-1);
    if (frame === undefined) return;
    if (step.opcode === selfDestruct) {
      const [beneficiary] = step.stack.slice(-1);
      if (beneficiary === undefined || this.#options.onlyTopCall) return;
      this.#push({
        kind: 'SELFDESTRUCT',
        from: hexFromBytes(step.address),
        to: addressOfWord(beneficiary),
        value: step.world.getBalance(step.address),
        gas: 0n,
        input: '0x',
        calls: [],
        logs: [],
      });
      this.onExit({ gasUsed: 0n, output: new Uint8Array(0) });
      return;
    }
    if (!this.#options.withLog || (this.#options.onlyTopCall && step.depth > 1)) return;
    const log = logOfStep(step);
    if (log) frame.logs.push({ ...log, position: frame.calls.length, index: this.#logs++ });
  }

  result({ gasUsed, outcome }: AppliedMessage, gasLimit: bigint): string {
    const top = this.#top;
    if (top === undefined) return '{}';
    top.gas = gasLimit;
    top.end = {
      gasUsed,
      output: outcome.output,
      ...(outcome.kind !== 'success' && { error: outcome.reason ?? 'execution reverted' }),
    };
    return JSON.stringify(frameToJson(top, false));
  }
}

/** `isUndone`: a frame above has failed, so that nothing was logged in the end. */
function frameToJson(frame: Frame, isUndone: boolean): Json {
  const { end, logs, value } = frame;
  const { gasUsed = 0n, output = new Uint8Array(0), error } = end ?? {};
  const isReverted = error === 'execution reverted';
  const reason = isReverted ? decodeRevertReason(output) : undefined;
  const isCreation = frame.kind.startsWith('CREATE');
  const hasFailed = isUndone || error !== undefined;
  return {
    from: frame.from,
    gas: quantity(frame.gas),
    gasUsed: quantity(gasUsed),
    ...(!(isCreation && error !== undefined) && { to: frame.to }),
    input: frame.input,
    ...(output.length > 0 && (error === undefined || isReverted) && { output: hexFromBytes(output) }),
    ...(error !== undefined && { error }),
    ...(reason !== undefined && { revertReason: reason }),
    ...(frame.calls.length > 0 && { calls: frame.calls.map((call) => frameToJson(call, hasFailed)) }),
    ...(logs.length > 0 &&
      !hasFailed && {
        logs: logs.map(({ position, index, ...log }) => ({
          ...log,
          position: quantity(position),
          index: quantity(index),
        })),
      }),
    ...(value !== undefined && { value: quantity(value) }),
    type: frame.kind,
  };
}
