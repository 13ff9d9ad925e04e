import { opcodeName } from '@cairn/evm-compiler/opcodes';
import type { EngineStep } from '../engine-tracer.ts';
import type { Frame } from '../interpreter/frame.ts';
import type { Machine } from '../interpreter/machine.ts';
import type { WorldState } from '../state/world-state.ts';
import type { StepPrice } from './step-price.ts';

/** The step of a machine that is reported now. One object serves all steps, since creating one takes longer than most opcodes. */
export class ReportedStep implements EngineStep {
  opcode = 0;
  readonly #machine: Machine;
  #price: StepPrice | undefined;
  #frame: Frame | undefined;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** Moves to a step before it runs. */
  at(opcode: number, price: StepPrice, frame: Frame): this {
    this.opcode = opcode;
    this.#price = price;
    this.#frame = frame;
    return this;
  }

  get #current(): Frame {
    if (this.#frame === undefined) throw new Error('No step is being reported.');
    return this.#frame;
  }

  get pc(): number {
    return this.#current.pc;
  }

  get name(): string {
    return opcodeName(this.opcode);
  }

  get gas(): bigint {
    return BigInt(this.#current.gas);
  }

  get gasCost(): bigint {
    return this.#price?.cost ?? 0n;
  }

  get depth(): number {
    return this.#current.depth;
  }

  get refund(): bigint {
    return BigInt(this.#machine.substate.refund + (this.#price?.refund ?? 0));
  }

  get address(): Uint8Array {
    return this.#current.address;
  }

  get world(): WorldState {
    return this.#machine.message.world;
  }

  get returnData(): Uint8Array {
    return this.#current.returnData;
  }

  get stack(): readonly bigint[] {
    const { stack, sp } = this.#current;
    return stack.slice(0, sp);
  }

  get memory(): Uint8Array {
    const { memory, memorySize } = this.#current;
    return memory.subarray(0, memorySize);
  }

  get error(): string | undefined {
    return this.#price?.fault?.reason;
  }
}
