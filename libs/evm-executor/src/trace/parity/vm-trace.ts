// Steps are serialized when they end: a step object is valid during its callback only, and text is smaller than objects.

import { hexFromBytes } from '@cairn/block-model';
import { type EngineFrame, type EngineFrameEnd, type EngineStep, op, opcodeAt } from '@cairn/evm';
import { refusals } from './parity-errors.ts';
import type { TraceBudget } from './trace-budget.ts';

/** A step that has begun. */
interface OpenStep {
  readonly opcode: number;
  readonly name: string;
  readonly pc: number;
  cost: bigint;
  /** Gas before the step. */
  readonly gas: bigint;
  /** Memory that the operands designate: the step writes or reads it. */
  readonly memory: readonly [offset: number, length: number] | undefined;
  /** JSON text of the slot that SSTORE writes. */
  readonly store: string | undefined;
  /** JSON text of the frame that the step has called. */
  sub: string | undefined;
  hasFailed: boolean;
}

interface OpenFrame {
  readonly code: string;
  readonly steps: string[];
  step: OpenStep | undefined;
}

const noFrame = '{"code":"0x","ops":[]}';

/** Builds the vmTrace of Parity: every step with the words that it pushes and the memory and slot that it writes. */
export class VmTrace {
  /** Open frames, the innermost last; `undefined` for a SELFDESTRUCT. */
  readonly #open: (OpenFrame | undefined)[] = [];
  readonly #budget: TraceBudget;
  #text = noFrame;

  constructor(budget: TraceBudget) {
    this.#budget = budget;
  }

  /** @param code bytecode that runs @throws TRACE_TOO_LARGE */
  enter({ kind, gas }: EngineFrame, code: Uint8Array): void {
    if (kind === 'SELFDESTRUCT') {
      this.#open.push(undefined);
      return;
    }
    const caller = this.#open.at(-1)?.step;
    // The price of a creation includes the gas that it passes on, as that of a call does.
    if (caller !== undefined && (kind === 'CREATE' || kind === 'CREATE2')) caller.cost += gas;
    this.#budget.take(2 * code.length);
    this.#open.push({ code: hexFromBytes(code), steps: [], step: undefined });
  }

  /** @throws TRACE_TOO_LARGE */
  exit({ error }: EngineFrameEnd): void {
    const frame = this.#open.pop();
    if (frame === undefined) return;
    this.#end(frame);
    const text = `{"code":"${frame.code}","ops":[${frame.steps.join(',')}]}`;
    const isOutermost = this.#open.length === 0;
    if (isOutermost) this.#text = text;
    const caller = this.#open.at(-1)?.step;
    if (caller !== undefined && !(error !== undefined && refusals.has(error))) caller.sub = text;
  }

  /** @throws TRACE_TOO_LARGE */
  step(step: EngineStep): void {
    const frame = this.#open.at(-1);
    if (frame === undefined) return;
    const { opcode, pc, gas, gasCost, error, name } = step;
    const stack = step.stack;
    this.#end(frame, { step, stack });
    const length = (frame.code.length - 2) / 2;
    // The implicit STOP after the last byte of code is no step, nor is one that the stack has no room or words for.
    if (pc >= length || error?.startsWith('stack ')) return;
    frame.step = {
      opcode,
      name,
      pc,
      gas,
      cost: gasCost,
      memory: memoryOf(opcode, stack),
      store: opcode === op.SSTORE ? storeOf(stack) : undefined,
      sub: undefined,
      hasFailed: error !== undefined,
    };
  }

  /** The last step has failed or reverts. */
  fault(error: string): void {
    const frame = this.#open.at(-1);
    if (frame?.step === undefined || error === 'execution reverted') return;
    if (error.startsWith('invalid opcode')) frame.step = undefined;
    else frame.step.hasFailed = true;
  }

  /** Ends the open step of a frame. @param next what the frame is like before its next step; absent after the last */
  #end(frame: OpenFrame, next?: { readonly step: EngineStep; readonly stack: readonly bigint[] }): void {
    const { step } = frame;
    if (step === undefined) return;
    frame.step = undefined;
    const { cost, gas, name, pc, sub, hasFailed } = step;
    const used = next === undefined ? gas - cost : next.step.gas;
    const executed = hasFailed
      ? 'null'
      : `{"mem":${memoryToJson(step, next?.step.memory)},"push":[${pushed(step.opcode, next?.stack)}],"store":${step.store ?? 'null'},"used":${used}}`;
    const text = `{"cost":${cost},"ex":${executed},"op":"${name}","pc":${pc},"sub":${sub ?? 'null'}}`;
    // The text of the called frame counts already.
    this.#budget.take(text.length - (sub?.length ?? 0));
    frame.steps.push(text);
  }

  toJson(): string {
    return this.#text;
  }
}

const hex = (word: bigint) => `0x${word.toString(16)}`;

/** Words that an opcode leaves in place of its operands, the deepest first. DUP and SWAP show all words down to the one they use. */
function pushed(opcode: number, stack: readonly bigint[] = []): string {
  const count = wordsLeft(opcode);
  return count === 0
    ? ''
    : stack
        .slice(-count)
        .map((word) => `"${hex(word)}"`)
        .join(',');
}

function wordsLeft(opcode: number): number {
  if (opcode >= op.DUP1 && opcode <= op.DUP16) return opcode - op.DUP1 + 2;
  if (opcode >= op.SWAP1 && opcode <= op.SWAP16) return opcode - op.SWAP1 + 2;
  return opcodeAt(opcode)?.pushes ?? 0;
}

/** Positions on the stack, from the top, of the offset and the length of the memory that an opcode designates. */
const ranges: ReadonlyMap<number, readonly [offset: number, length: number]> = new Map<
  number,
  readonly [number, number]
>([
  [op.CALLDATACOPY, [0, 2]],
  [op.CODECOPY, [0, 2]],
  [op.RETURNDATACOPY, [0, 2]],
  [op.MCOPY, [0, 2]],
  [op.EXTCODECOPY, [1, 3]],
  [op.CALL, [5, 6]],
  [op.CALLCODE, [5, 6]],
  [op.DELEGATECALL, [4, 5]],
  [op.STATICCALL, [4, 5]],
]);

function memoryOf(opcode: number, stack: readonly bigint[]): OpenStep['memory'] {
  const item = (index: number) => Number(stack.at(-1 - index) ?? 0n);
  if (opcode === op.MSTORE || opcode === op.MLOAD) return [item(0), 32];
  if (opcode === op.MSTORE8) return [item(0), 1];
  const range = ranges.get(opcode);
  if (range === undefined) return undefined;
  const length = item(range[1]);
  return length === 0 ? undefined : [item(range[0]), length];
}

function memoryToJson({ memory }: OpenStep, held: Uint8Array | undefined): string {
  if (memory === undefined || held === undefined) return 'null';
  const [offset, length] = memory;
  return `{"data":"${hexFromBytes(held.subarray(offset, offset + length))}","off":${offset}}`;
}

function storeOf(stack: readonly bigint[]): string {
  return `{"key":"${hex(stack.at(-1) ?? 0n)}","val":"${hex(stack.at(-2) ?? 0n)}"}`;
}
