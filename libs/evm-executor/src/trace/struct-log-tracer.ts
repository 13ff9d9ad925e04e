// A step of a trace is serialized as it happens: what a step holds is of that moment, and text is smaller than objects.
import { hexFromBytes } from '@cairn/block-model';
import type { AppliedMessage } from '../apply-message.ts';
import type { EngineFrame, EngineFrameEnd, EngineStep } from '../engine/engine-tracer.ts';
import { TraceTooLargeError } from '../errors.ts';
import type { TraceOptions } from './trace-options.ts';
import type { TransactionTracer } from './transaction-tracer.ts';

/** Characters of one trace at most: clients parse it in one piece. */
export const traceCharactersMax = 64 * 1024 * 1024;

const sload = 0x54;
const sstore = 0x55;
/** Faults that geth finds before a step rather than in it, and tells with the step. */
const foundBefore = /^(out of gas|gas uint64 overflow|stack underflow|stack limit reached)/;

/** geth's default tracer: every step with gas, stack, memory and storage. */
export class StructLogTracer implements TransactionTracer {
  readonly #options: Extract<TraceOptions, { tracer: 'structLog' }>;
  readonly #steps: string[] = [];
  #characters = 0;
  /** By depth: what the last call of the frame has returned. */
  readonly #returned: Uint8Array[] = [];
  readonly #storage = new Map<string, Map<string, string>>();

  constructor(options: Extract<TraceOptions, { tracer: 'structLog' }>) {
    this.#options = options;
  }

  onEnter(_: EngineFrame): void {
    this.#returned.push(new Uint8Array(0));
  }

  onExit({ output, error }: EngineFrameEnd): void {
    this.#returned.pop();
    if (this.#returned.length > 0) this.#returned[this.#returned.length - 1] = output;
    if (error !== undefined && foundBefore.test(error)) this.#markLast(error);
  }

  onStep(step: EngineStep): void {
    const { limit, enableMemory, enableReturnData, disableStack, disableStorage } = this.#options;
    if (limit > 0 && this.#steps.length >= limit) return;
    let text = `{"pc":${step.pc},"op":"${step.name}","gas":${step.gas},"gasCost":${step.gasCost},"depth":${step.depth}`;
    if (!disableStack) text += `,"stack":[${step.stack.map((item) => `"0x${item.toString(16)}"`).join(',')}]`;
    if (enableMemory && step.memory.length > 0) text += `,"memory":[${words(step.memory)}]`;
    const returned = this.#returned.at(-1);
    if (enableReturnData && returned && returned.length > 0) text += `,"returnData":"${hexFromBytes(returned)}"`;
    if (!disableStorage && (step.opcode === sload || step.opcode === sstore)) text += this.#storageText(step);
    if (step.refund > 0n) text += `,"refund":${step.refund}`;
    this.#push(`${text}}`);
  }

  #push(text: string): void {
    this.#characters += text.length + 1;
    if (this.#characters > traceCharactersMax) throw new TraceTooLargeError(traceCharactersMax);
    this.#steps.push(text);
  }

  /** All slots of the account that code has read or written so far. */
  #storageText({ opcode, stack, address, world }: EngineStep): string {
    const slot = stack.at(-1);
    if (slot === undefined) return '';
    const account = hexFromBytes(address);
    const known = this.#storage.get(account) ?? new Map<string, string>();
    this.#storage.set(account, known);
    const key = word(slot);
    const value =
      opcode === sload
        ? Buffer.from(world.getStorage(address, Buffer.from(key, 'hex'))).toString('hex')
        : stack.at(-2)?.toString(16);
    known.set(key, (value ?? '').padStart(64, '0'));
    return `,"storage":{${[...known].map(([name, held]) => `"0x${name}":"0x${held}"`).join(',')}}`;
  }

  #markLast(error: string): void {
    const last = this.#steps.pop();
    if (last !== undefined) this.#steps.push(`${last.slice(0, -1)},"error":${JSON.stringify(error)}}`);
  }

  result({ outcome, gasUsed }: AppliedMessage): string {
    const failed = outcome.kind !== 'success';
    const output = hexFromBytes(outcome.output);
    return `{"gas":${gasUsed},"failed":${failed},"returnValue":"${output}","structLogs":[${this.#steps.join(',')}]}`;
  }
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

function words(memory: Uint8Array): string {
  const text = Buffer.from(memory.buffer, memory.byteOffset, memory.length).toString('hex');
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += 64) parts.push(`"0x${text.slice(at, at + 64).padEnd(64, '0')}"`);
  return parts.join(',');
}
