import { bytesFromHex, type Hex, hexFromBytes, type Json } from '@cairn/block-model';
import type { EngineFrame, EngineFrameEnd, EngineStep } from '@cairn/evm';
import { addressHexFromWord, callOpcodes, op, opcodeName } from '@cairn/evm';
import type { AppliedMessage } from '../apply-message.ts';
import { TraceTooLargeError } from '../errors.ts';
import { memorySlice, peek } from './legacy-access.ts';
import type { TracedMessage, TransactionTracer } from './transaction-tracer.ts';

/** A call as derived from steps. */
interface LegacyCall {
  readonly type?: string;
  readonly from?: Hex;
  to?: Hex;
  readonly input?: Hex;
  readonly value?: string;
  readonly gasIn?: bigint;
  readonly gasCost?: bigint;
  readonly output?: { readonly at: number; readonly length: number };
  gas?: bigint;
  gasUsed?: bigint;
  result?: Hex;
  error?: string;
  calls?: LegacyCall[];
}

const creates: ReadonlySet<number> = new Set<number>([op.CREATE, op.CREATE2]);
const callsMax = 500_000;

/**
 * geth's callTracerLegacy, its first callTracer. It derives calls from steps and therefore misses calls of precompiles, and the
 * reason of a call that fails without a step.
 */
export class LegacyCallTracer implements TransactionTracer {
  readonly #stack: LegacyCall[] = [{}];
  #count = 0;
  #hasDescended = false;
  #message: TracedMessage | undefined;
  #top: EngineFrame | undefined;
  #end: EngineFrameEnd | undefined;
  #precompiles: ReadonlySet<Hex> = new Set();

  begin(message: TracedMessage): void {
    this.#message = message;
    this.#precompiles = new Set(message.context.rules.precompiles);
  }

  onEnter(frame: EngineFrame): void {
    this.#top ??= frame;
  }

  onExit(end: EngineFrameEnd): void {
    // The last call is the one of the outermost frame.
    this.#end = end;
  }

  onStep(step: EngineStep): void {
    const { opcode, error, depth, gas } = step;
    if (error !== undefined) {
      this.onFault(error);
      return;
    }
    if (creates.has(opcode)) this.#push(creationFromStep(step));
    else if (opcode === op.SELFDESTRUCT) this.#endContract(step);
    else if (callOpcodes.has(opcode)) {
      const to = addressHexFromWord(peek(step.stack, 1));
      if (!this.#precompiles.has(to)) this.#push(callFromStep(step, to));
    } else {
      const last = this.#stack.at(-1);
      if (this.#hasDescended && last !== undefined && depth >= this.#stack.length) last.gas = gas;
      this.#hasDescended = false;
      if (opcode === op.REVERT && last !== undefined) last.error = 'execution reverted';
      else if (depth === this.#stack.length - 1) this.#return(step);
    }
  }

  #push(call: LegacyCall): void {
    if (++this.#count > callsMax) throw new TraceTooLargeError(callsMax, 'calls');
    this.#stack.push(call);
    this.#hasDescended = true;
  }

  #nest(call: LegacyCall): void {
    const above = this.#stack.at(-1);
    if (above === undefined) return;
    above.calls ??= [];
    above.calls.push(call);
  }

  #endContract({ address, stack, world }: EngineStep): void {
    const value = `0x${world.getBalance(address).toString(16)}`;
    this.#nest({ type: 'SELFDESTRUCT', from: hexFromBytes(address), to: addressHexFromWord(peek(stack, 0)), value });
  }

  /** Ends a call at the first step after it. */
  #return(step: EngineStep): void {
    const call = this.#stack.pop();
    if (call === undefined) return;
    const { gasIn = 0n, gasCost = 0n, output } = call;
    const returned = peek(step.stack, 0);
    if (output === undefined) {
      call.gasUsed = gasIn - gasCost - step.gas;
      if (returned !== 0n) {
        call.to = addressHexFromWord(returned);
        call.result = hexFromBytes(step.world.getCode(bytesFromHex(call.to)));
      }
    } else {
      if (call.gas !== undefined) call.gasUsed = gasIn - gasCost + call.gas - step.gas;
      if (returned !== 0n) call.result = hexFromBytes(memorySlice(step, output.at, output.at + output.length));
    }
    if (returned === 0n) call.error ??= 'internal failure';
    this.#nest(call);
  }

  onFault(error: string): void {
    if (this.#stack.at(-1)?.error !== undefined) return;
    const call = this.#stack.pop() ?? {};
    call.error = error;
    if (call.gas !== undefined) call.gasUsed = call.gas;
    if (this.#stack.length > 0) this.#nest(call);
    else this.#stack.push(call);
  }

  result({ gasUsed }: AppliedMessage): string {
    const [root] = this.#stack;
    const top = this.#top;
    const error = root?.error ?? this.#end?.error;
    const output = hexFromBytes(this.#end?.output ?? new Uint8Array(0));
    const hasOutput = error === undefined || (error === 'execution reverted' && output !== '0x');
    return JSON.stringify(
      callToJson({
        ...(top && {
          type: top.kind.startsWith('CREATE') ? 'CREATE' : 'CALL',
          from: hexFromBytes(top.from),
          to: hexFromBytes(top.to),
          value: `0x${(top.value ?? 0n).toString(16)}`,
          input: hexFromBytes(top.input),
        }),
        gas: this.#message?.gasLimit ?? 0n,
        gasUsed,
        ...(hasOutput && { result: output }),
        ...(error !== undefined && { error }),
        ...(root?.calls && { calls: root.calls }),
      }),
    );
  }
}

function creationFromStep(step: EngineStep): LegacyCall {
  const { opcode, stack, address, gas, gasCost } = step;
  const at = Number(peek(stack, 1));
  return {
    type: opcodeName(opcode),
    from: hexFromBytes(address),
    input: hexFromBytes(memorySlice(step, at, at + Number(peek(stack, 2)))),
    gasIn: gas,
    gasCost,
    value: `0x${peek(stack, 0).toString(16)}`,
  };
}

function callFromStep(step: EngineStep, to: Hex): LegacyCall {
  const { opcode, stack, address, gas, gasCost } = step;
  const hasValue = opcode === op.CALL || opcode === op.CALLCODE;
  const first = hasValue ? 3 : 2;
  const at = Number(peek(stack, first));
  return {
    type: opcodeName(opcode),
    from: hexFromBytes(address),
    to,
    input: hexFromBytes(memorySlice(step, at, at + Number(peek(stack, first + 1)))),
    gasIn: gas,
    gasCost,
    output: { at: Number(peek(stack, first + 2)), length: Number(peek(stack, first + 3)) },
    ...(hasValue && { value: `0x${peek(stack, 2).toString(16)}` }),
  };
}

function callToJson({ type, from, to, value, gas, gasUsed, input, result, error, calls }: LegacyCall): Json {
  return {
    type,
    from,
    to,
    value,
    gas: gas === undefined ? undefined : `0x${gas.toString(16)}`,
    gasUsed: gasUsed === undefined ? undefined : `0x${gasUsed.toString(16)}`,
    input,
    output: result,
    error,
    calls: calls?.map(callToJson),
  };
}
