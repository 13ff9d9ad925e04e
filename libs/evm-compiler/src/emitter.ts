import { elsewhere, exits } from './exits.ts';
import { helperIndex } from './helpers/index.ts';
import { header } from './layout.ts';
import { ByteWriter } from './wasm/byte-writer.ts';

/** Locals of the function that is made. Parameter 0 is the number of the block to go on with. */
export const local = { next: 0, base: 1, sp: 2, low: 3, size: 4, memory: 5, code: 6, pc: 7, at: 8, flag: 9 } as const;
/** How many flags (i32) there may be in one block at a time; beyond these they become words. */
const flagsMax = 64;
const firstFlag = 10;
const i32Locals = firstFlag + flagsMax - 1;
/** i64 locals: gas and the two bounds of it, a carry, temporaries, then limbs of words. */
export const gasLocal = i32Locals + 1;
export const floorLocal = gasLocal + 1;
export const leastLocal = gasLocal + 2;
export const carryLocal = gasLocal + 3;
export const temporary = gasLocal + 4;
const firstLimb = gasLocal + 6;

/** Writes the instructions of one compiled code and keeps count of its locals and open blocks. */
export class Emitter {
  readonly out = new ByteWriter(16 * 1024);
  /** Blocks that are open inside of the block of code that is being written. */
  inner = 0;
  /** Depth of the label of the loop, seen from where no inner block is open. The label behind it is the way out. */
  loopDepth = 0;
  #limbs = 0;
  #limbsMost = 0;
  #flags = 0;

  /** All locals beside the parameter. */
  get locals(): readonly (readonly [number, number])[] {
    return [
      [i32Locals, 0x7f],
      [6 + this.#limbsMost, 0x7e],
    ];
  }

  /** Locals are free again: a new block begins. */
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

  /** A local for a flag, or `undefined` where all are taken. */
  flag(): number | undefined {
    return this.#flags < flagsMax ? firstFlag + this.#flags++ : undefined;
  }

  op(opcode: number): void {
    this.out.u8(opcode);
  }

  get(index: number): void {
    this.out.u8(0x20);
    this.out.u32(index);
  }

  set(index: number): void {
    this.out.u8(0x21);
    this.out.u32(index);
  }

  tee(index: number): void {
    this.out.u8(0x22);
    this.out.u32(index);
  }

  i32(value: number): void {
    this.out.u8(0x41);
    this.out.s32(value);
  }

  i64(value: bigint): void {
    this.out.u8(0x42);
    this.out.s64(value);
  }

  load(opcode: number, offset: number): void {
    this.out.u8(opcode);
    this.out.u32(0);
    this.out.u32(offset);
  }

  if(): void {
    this.out.u8(0x04);
    this.out.u8(0x40);
    this.inner++;
  }

  else(): void {
    this.out.u8(0x05);
  }

  end(): void {
    this.out.u8(0x0b);
    this.inner--;
  }

  call(helper: keyof typeof helperIndex): void {
    this.out.u8(0x10);
    this.out.u32(helperIndex[helper]);
  }

  /** SIMD and bulk memory instructions. */
  prefixed(prefix: number, opcode: number): void {
    this.out.u8(prefix);
    this.out.u32(opcode);
  }

  /** To the dispatch, which goes on with the block in the local `next`. */
  again(isConditional = false): void {
    this.out.u8(isConditional ? 0x0d : 0x0c);
    this.out.u32(this.loopDepth + this.inner);
  }

  /** Out of the function. */
  leave(code: (typeof exits)[keyof typeof exits], pc: number): void {
    this.i32(code);
    this.set(local.code);
    this.leaveWithCode(pc);
  }

  /** Has the host do the opcode at `pc`, with stack, gas and memory as they are; then takes over what that has changed. */
  ask(pc: number): void {
    this.#tell();
    this.i32(pc);
    this.call('ask');
    this.#learn([header.stackTop, local.sp], [header.memorySize, local.size]);
    this.#learnGas(header.gas, gasLocal);
  }

  /** Takes what gas is left from the stack of the machine, and leaves where that is less than there must be. */
  chargeTo(pc: number): void {
    this.tee(gasLocal);
    this.get(leastLocal);
    this.op(0x53); // i64.lt_s
    this.if();
    this.leave(exits.outOfGas, pc);
    this.end();
  }

  /** With the reason in the local `code` already. */
  leaveWithCode(pc: number): void {
    this.i32(pc);
    this.set(local.pc);
    this.#out();
  }

  /** To a block of another region. */
  leaveForBlock(block: number): void {
    this.i32(elsewhere.ofBlock(block));
    this.set(local.code);
    this.#out();
  }

  /** To whichever region has the place in the local `at`. */
  leaveForPlace(): void {
    this.i32(0);
    this.get(local.at);
    this.load(0x36, header.target); // i32.store
    this.i32(elsewhere.searched);
    this.set(local.code);
    this.#out();
  }

  #out(): void {
    this.out.u8(0x0c);
    this.out.u32(this.loopDepth + 1 + this.inner);
  }

  /** Reads what the host left in the header. */
  prologue(): void {
    this.#learn(
      [header.base, local.base],
      [header.stackTop, local.sp],
      [header.memorySize, local.size],
      [header.memoryBase, local.memory],
      [header.pc, local.pc],
      [header.target, local.at],
    );
    this.#learnGas(header.gas, gasLocal);
    this.#learnGas(header.floor, floorLocal);
    this.#learnGas(header.least, leastLocal);
  }

  /** Writes what the host wants to know; memory has been written to the header as it grew. */
  epilogue(): void {
    this.#tell();
    this.i32(0);
    this.get(local.pc);
    this.load(0x36, header.pc);
    this.get(local.code);
    this.op(0x0b);
  }

  #learn(...places: readonly (readonly [number, number])[]): void {
    for (const [offset, index] of places) {
      this.i32(0);
      this.load(0x28, offset); // i32.load
      this.set(index);
    }
  }

  #learnGas(offset: number, index: number): void {
    this.i32(0);
    this.load(0x2b, offset); // f64.load
    this.prefixed(0xfc, 6); // i64.trunc_sat_f64_s
    this.set(index);
  }

  #tell(): void {
    this.i32(0);
    this.get(gasLocal);
    this.op(0xb9); // f64.convert_i64_s
    this.load(0x39, header.gas); // f64.store
    this.i32(0);
    this.get(local.sp);
    this.load(0x36, header.stackTop);
  }
}
