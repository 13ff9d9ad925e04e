import { type Exit, elsewhere, exits } from './exits.ts';
import { helperIndex } from './helpers/index.ts';
import { header } from './layout.ts';
import { InstructionWriter } from './wasm/instruction-writer.ts';
import { i32, i64 } from './wasm/module.ts';

/** Locals of a compiled function. Local 0 is its parameter: the number of the block to continue with. */
export const local = { next: 0, base: 1, sp: 2, low: 3, size: 4, memory: 5, code: 6, pc: 7, at: 8, flag: 9 } as const;
/** Maximum number of flags (i32) that one block uses at a time. Further ones become words. */
const flagsMax = 64;
const firstFlag = 10;
const i32Locals = firstFlag + flagsMax - 1;
/** i64 locals: gas, its two bounds, a carry, two temporaries, then the limbs of words. */
export const gasLocal = i32Locals + 1;
export const floorLocal = gasLocal + 1;
export const leastLocal = gasLocal + 2;
export const carryLocal = gasLocal + 3;
export const temporary = gasLocal + 4;
const firstLimb = gasLocal + 6;

/** Writes the instructions of one compiled function and counts its locals and open blocks. */
export class Emitter extends InstructionWriter {
  /** Conditions that are open inside the basic block that is being written. */
  inner = 0;
  /** Depth of the dispatch loop's label outside all conditions. The next outer label leaves the function. */
  loopDepth = 0;
  #limbs = 0;
  #limbsMost = 0;
  #flags = 0;

  constructor() {
    super(16 * 1024);
  }

  /** Locals beside the parameter: how many of which type. */
  get locals(): readonly (readonly [number, number])[] {
    return [
      [i32Locals, i32],
      [6 + this.#limbsMost, i64],
    ];
  }

  /** Frees the locals of words and flags for a new basic block. */
  begin(): void {
    this.#limbs = 0;
    this.#flags = 0;
  }

  /** The first of four locals for a word. */
  word(): number {
    const first = firstLimb + this.#limbs;
    this.#limbs += 4;
    if (this.#limbs > this.#limbsMost) this.#limbsMost = this.#limbs;
    return first;
  }

  /** A local for a flag; `undefined` where all are taken. */
  flag(): number | undefined {
    return this.#flags < flagsMax ? firstFlag + this.#flags++ : undefined;
  }

  /** Opens a condition. Branches written before {@link closeIf} count its label. */
  openIf(): void {
    this.if();
    this.inner++;
  }

  closeIf(): void {
    this.end();
    this.inner--;
  }

  callHelper(helper: keyof typeof helperIndex): void {
    this.call(helperIndex[helper]);
  }

  /** Branches to the dispatch, which continues with the block in the local `next`. */
  dispatch(): void {
    this.br(this.loopDepth + this.inner);
  }

  /** Leaves the function. */
  leave(code: Exit, pc: number): void {
    this.i32Const(code);
    this.localSet(local.code);
    this.leaveWithCode(pc);
  }

  /** Leaves the function with the reason that is in the local `code`. */
  leaveWithCode(pc: number): void {
    this.i32Const(pc);
    this.localSet(local.pc);
    this.#leaveFunction();
  }

  /** Leaves for a block of another region. */
  leaveForBlock(block: number): void {
    this.i32Const(elsewhere.ofBlock(block));
    this.localSet(local.code);
    this.#leaveFunction();
  }

  /** Leaves this function for the region that contains the code offset in the local `at`. */
  leaveForPlace(): void {
    this.i32Const(0);
    this.localGet(local.at);
    this.i32Store(header.target);
    this.i32Const(elsewhere.searched);
    this.localSet(local.code);
    this.#leaveFunction();
  }

  /** Calls the host for the opcode at `pc` with the current stack, gas and memory, then reads back its changes. */
  callHost(pc: number): void {
    this.#writeHeader();
    this.i32Const(pc);
    this.callHelper('ask');
    this.#readHeader([header.stackTop, local.sp], [header.memorySize, local.size]);
    this.#readGas(header.gas, gasLocal);
  }

  /** Takes the gas that is left from the stack, and leaves with `outOfGas` where it is below the bound. */
  chargeTo(pc: number): void {
    this.localTee(gasLocal);
    this.localGet(leastLocal);
    this.i64LtS();
    this.openIf();
    this.leave(exits.outOfGas, pc);
    this.closeIf();
  }

  /** Reads the state of the frame from the header. */
  prologue(): void {
    this.#readHeader(
      [header.base, local.base],
      [header.stackTop, local.sp],
      [header.memorySize, local.size],
      [header.memoryBase, local.memory],
      [header.pc, local.pc],
      [header.target, local.at],
    );
    this.#readGas(header.gas, gasLocal);
    this.#readGas(header.floor, floorLocal);
    this.#readGas(header.least, leastLocal);
  }

  /** Writes the state of the frame to the header. The size of memory is there already: `expand` writes it. */
  epilogue(): void {
    this.#writeHeader();
    this.i32Const(0);
    this.localGet(local.pc);
    this.i32Store(header.pc);
    this.localGet(local.code);
    this.end();
  }

  #leaveFunction(): void {
    this.br(this.loopDepth + 1 + this.inner);
  }

  #readHeader(...places: readonly (readonly [offset: number, local: number])[]): void {
    for (const [offset, index] of places) {
      this.i32Const(0);
      this.i32Load(offset);
      this.localSet(index);
    }
  }

  #readGas(offset: number, index: number): void {
    this.i32Const(0);
    this.f64Load(offset);
    this.i64TruncSatF64S();
    this.localSet(index);
  }

  #writeHeader(): void {
    this.i32Const(0);
    this.localGet(gasLocal);
    this.f64ConvertI64S();
    this.f64Store(header.gas);
    this.i32Const(0);
    this.localGet(local.sp);
    this.i32Store(header.stackTop);
  }
}
