import { type Block, type Blocks, findBlocks, isAsked, isOfHost, type OpcodeFigures, pushedBytes } from './blocks.ts';
import { writeDriver } from './driver.ts';
import { Emitter, floorLocal, gasLocal, local } from './emitter.ts';
import { elsewhere, exits } from './exits.ts';
import { helperImports } from './helpers/index.ts';
import { region, stackMax, wordBytes } from './layout.ts';
import { emitOpcode } from './opcodes.ts';
import { cutRegions, type Region } from './regions.ts';
import type { Item } from './virtual-stack.ts';
import { VirtualStack } from './virtual-stack.ts';
import { encodeModule, type FunctionCode, i32 } from './wasm/module.ts';

/** A code as a WebAssembly module, and where it can be entered. */
export interface CompiledCode {
  /** Exports `run`: takes the number of a block, returns one of {@link exits}. */
  readonly wasm: Uint8Array<ArrayBuffer>;
  /** By place in the code: the number of the block that begins there, else -1. */
  readonly entries: Int32Array;
}

/** Longer codes are not compiled: there are none on chain, and initcode runs once. */
export const codeBytesMax = 24_576;

/** Code that would become more than this is not compiled either: real code becomes 30 times as long, hostile code 300 times. */
export const wasmBytesMax = 2 * 1024 * 1024;

/**
 * Turns EVM bytecode into a WebAssembly module, in one pass. Every basic block charges its gas and checks the stack once, where it
 * begins; a block that cannot run as a whole is left to an interpreter, so that what fails fails at its very opcode.
 * Time and size are linear in the length of the code.
 * @param figures of the fork that it runs under
 * @returns `undefined` for what is too long: see {@link codeBytesMax} and {@link wasmBytesMax}
 */
export function compile(code: Uint8Array, figures: OpcodeFigures): CompiledCode | undefined {
  const steps = compileInSteps(code, figures);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** As {@link compile}, a part at a time, some tenths of a millisecond each: for those who have others to serve meanwhile. */
export function* compileInSteps(
  code: Uint8Array,
  figures: OpcodeFigures,
): Generator<undefined, CompiledCode | undefined, undefined> {
  if (code.length > codeBytesMax) return undefined;
  const blocks = findBlocks(code, figures);
  const regions = cutRegions(code, blocks);
  const functions: FunctionCode[] = [];
  let length = 0;
  for (const region of regions) {
    const written = writeRegion(new BlockWriter(code, blocks, figures, region), region);
    length += written?.body.length ?? 0;
    if (written === undefined || length > wasmBytesMax) return undefined;
    functions.push(written);
    yield;
  }
  const [only] = functions;
  if (functions.length === 1) functions[0] = { ...(only as FunctionCode), name: 'run' };
  else {
    const starts = regions.map(({ first }) => blocks.list[first]?.start ?? 0);
    functions.push(writeDriver(regions, starts, helperImports.length));
  }
  return { wasm: encodeModule(helperImports, functions), entries: blocks.at };
}

/** The function of a region: a loop around a table of its blocks. `undefined` where it becomes too long. */
function writeRegion(writer: BlockWriter, { first, end }: Region): FunctionCode | undefined {
  const { emitter } = writer;
  const count = end - first;
  emitter.prologue();
  emitter.op(0x02); // block: the way out
  emitter.op(0x40);
  emitter.op(0x03); // loop: the dispatch
  emitter.op(0x40);
  // One more than there are blocks: where jumps go whose destination is only known as they run.
  for (let index = 0; index <= count; index++) {
    emitter.op(0x02);
    emitter.op(0x40);
  }
  emitter.get(local.next);
  emitter.i32(first);
  emitter.op(0x6b);
  emitter.op(0x0e); // br_table
  emitter.out.u32(count);
  for (let index = 0; index <= count; index++) emitter.out.u32(index);
  for (let index = 0; index < count; index++) {
    emitter.op(0x0b);
    emitter.loopDepth = count - index;
    writer.write(first + index);
    if (emitter.out.length > wasmBytesMax) return undefined;
  }
  writer.fallThrough();
  emitter.op(0x0b);
  emitter.loopDepth = 0;
  writer.writeSearch();
  emitter.op(0x0b); // loop
  emitter.op(0x0b); // block
  emitter.epilogue();
  const type = { params: [i32], results: [i32] };
  return { type, locals: emitter.locals, body: new Uint8Array(emitter.out.done()) };
}

/** Writes the blocks of a region one after the other; what falls through goes on with the next one. */
class BlockWriter {
  readonly #code: Uint8Array;
  readonly #blocks: Blocks;
  readonly #figures: OpcodeFigures;
  readonly #region: Region;
  readonly emitter = new Emitter();
  readonly #stack = new VirtualStack(this.emitter);

  constructor(code: Uint8Array, blocks: Blocks, figures: OpcodeFigures, region: Region) {
    this.#code = code;
    this.#blocks = blocks;
    this.#figures = figures;
    this.#region = region;
  }

  /** Writes the block of that number. */
  write(index: number): void {
    const { emitter } = this;
    const block = this.#blocks.list[index] as Block;
    const { start, end } = block;
    if (start === this.#code.length) {
      emitter.leave(exits.stop, start);
      return;
    }
    if ((this.#figures.cost[this.#code[start] as number] as number) < 0) {
      emitter.leave(exits.interpret, start);
      return;
    }
    emitter.begin();
    this.#stack.begin(block.needed);
    this.#enter(block);
    for (let pc = start; pc < end; pc++) {
      const opcode = this.#code[pc] as number;
      const pushed = pushedBytes(opcode);
      if (pushed > 0) {
        this.#stack.push({ kind: 'constant', value: this.#constant(pc + 1, pushed) });
        pc += pushed;
      } else if (opcode >= 0x80 && opcode <= 0x8f) this.#stack.duplicate(opcode - 0x7f);
      else if (opcode >= 0x90 && opcode <= 0x9f) this.#stack.swap(opcode - 0x8f);
      else if (opcode === 0x00) {
        emitter.leave(exits.stop, pc);
        return;
      } else if (opcode === 0x56) {
        this.#jump(pc, index);
        return;
      } else if (opcode === 0x57) this.#jumpIf(pc, index);
      else if (isOfHost(opcode)) {
        this.#stack.flush();
        if (isAsked(opcode)) emitter.ask(pc);
        else emitter.leave(exits.host, pc);
        return;
      } else emitOpcode(opcode, { emitter, stack: this.#stack, code: this.#code, pc, expByte: this.#figures.expByte });
      if (opcode === 0x57) return;
    }
    this.#stack.flush();
  }

  /** From the last block to what follows the region. */
  fallThrough(): void {
    if (this.#region.end < this.#blocks.list.length) this.emitter.leaveForBlock(this.#region.end);
  }

  /** Big-endian; bytes beyond the end of the code are zeros. */
  #constant(at: number, length: number): bigint {
    let value = 0n;
    for (let index = 0; index < length; index++) value = (value << 8n) | BigInt(this.#code[at + index] ?? 0);
    return value;
  }

  /** Charges for the block and checks that the stack has what it needs and room for what it adds. */
  #enter({ start, cost, needed, growth }: Block): void {
    const { emitter } = this;
    emitter.get(gasLocal);
    emitter.i64(BigInt(cost));
    emitter.op(0x7d);
    emitter.tee(gasLocal);
    emitter.get(floorLocal);
    emitter.op(0x53);
    const items = () => {
      emitter.get(local.sp);
      emitter.get(local.base);
      emitter.op(0x6b);
    };
    if (needed > 0) {
      items();
      emitter.i32(region.stack + needed * wordBytes);
      emitter.op(0x48); // i32.lt_s
      emitter.op(0x72);
    }
    if (growth > 0) {
      items();
      emitter.i32(region.stack + (stackMax - growth) * wordBytes);
      emitter.op(0x4a); // i32.gt_s
      emitter.op(0x72);
    }
    emitter.if();
    emitter.get(gasLocal);
    emitter.i64(BigInt(cost));
    emitter.op(0x7c);
    emitter.set(gasLocal);
    emitter.leave(exits.interpret, start);
    emitter.end();
    emitter.get(local.sp);
    emitter.i32(needed * wordBytes);
    emitter.op(0x6b);
    emitter.set(local.low);
  }

  #jump(pc: number, index: number): void {
    const destination = this.#stack.pop();
    if (destination.kind === 'constant') {
      this.#stack.flush();
      this.#goTo(destination.value, pc, index);
      return;
    }
    this.#computeDestination(destination, pc);
    this.#stack.flush();
    this.#search();
  }

  #jumpIf(pc: number, index: number): void {
    const { emitter } = this;
    const destination = this.#stack.pop();
    const condition = this.#stack.pop();
    this.#stack.truth(condition);
    emitter.set(local.flag);
    if (destination.kind === 'constant') {
      this.#stack.flush();
      const target = this.#targetOf(destination.value);
      if (target !== undefined && target > index && target < this.#region.end) {
        emitter.get(local.flag);
        emitter.op(0x0d);
        emitter.out.u32(target - index - 1);
        return;
      }
      emitter.get(local.flag);
      emitter.if();
      this.#goTo(destination.value, pc, index);
      emitter.end();
      return;
    }
    // Where it does not jump, the destination may be anything.
    this.#stack.load(destination);
    this.#stack.flush();
    emitter.get(local.flag);
    emitter.if();
    this.#computeDestination(destination, pc);
    this.#search();
    emitter.end();
  }

  /** The block of a destination, where that is one. */
  #targetOf(value: bigint): number | undefined {
    if (value >= BigInt(this.#code.length)) return undefined;
    const pc = Number(value);
    return this.#blocks.destinations[pc] === 1 ? this.#blocks.at[pc] : undefined;
  }

  #goTo(value: bigint, pc: number, index: number): void {
    const { emitter } = this;
    const target = this.#targetOf(value);
    if (target === undefined) {
      emitter.leave(exits.invalidJump, pc);
      return;
    }
    if (target < this.#region.first || target >= this.#region.end) {
      emitter.leaveForBlock(target);
      return;
    }
    if (target > index) {
      emitter.op(0x0c);
      emitter.out.u32(target - index - 1 + emitter.inner);
      return;
    }
    emitter.i32(target);
    emitter.set(local.next);
    emitter.again();
  }

  /** The destination as a number in the local `at`: the length of the code, which is no JUMPDEST, where it is beyond that. */
  #computeDestination(item: Item, pc: number): void {
    const { emitter } = this;
    const stack = this.#stack;
    stack.load(item);
    stack.limb(item, 0);
    emitter.op(0xa7);
    emitter.i32(this.#code.length);
    stack.highLimbs(item);
    emitter.op(0x50);
    stack.limb(item, 0);
    emitter.i64(BigInt(this.#code.length));
    emitter.op(0x54);
    emitter.op(0x71);
    emitter.op(0x1b);
    emitter.set(local.at);
    emitter.i32(pc);
    emitter.set(local.pc);
  }

  /** To the block of the destination in the local `at`, wherever that is. */
  #search(): void {
    const { emitter } = this;
    const { first, end } = this.#region;
    const { list } = this.#blocks;
    const isWhole = end - first === list.length;
    if (!isWhole) {
      const start = list[first]?.start ?? 0;
      emitter.get(local.at);
      emitter.i32(start);
      emitter.op(0x6b);
      emitter.i32((list[end]?.start ?? this.#code.length) - start);
      emitter.op(0x49); // i32.lt_u
      emitter.if();
    }
    emitter.i32(elsewhere.searchedBlock);
    emitter.set(local.next);
    emitter.again();
    if (isWhole) return;
    emitter.end();
    emitter.leaveForPlace();
  }

  /** Finds the block of the destination in the local `at` by halving. */
  writeSearch(): void {
    const { emitter } = this;
    const { first, end } = this.#region;
    const targets = this.#blocks.list
      .slice(first, end)
      .map(({ start }, index) => ({ start, index: first + index }))
      .filter(({ start }) => this.#blocks.destinations[start] === 1);
    const halve = (first: number, end: number): void => {
      if (end - first <= 1) {
        const target = targets[first];
        if (target === undefined) return;
        emitter.get(local.at);
        emitter.i32(target.start);
        emitter.op(0x46);
        emitter.if();
        emitter.i32(target.index);
        emitter.set(local.next);
        emitter.again();
        emitter.end();
        return;
      }
      const middle = (first + end) >> 1;
      emitter.get(local.at);
      emitter.i32(targets[middle]?.start ?? 0);
      emitter.op(0x49); // i32.lt_u
      emitter.if();
      halve(first, middle);
      emitter.else();
      halve(middle, end);
      emitter.end();
    };
    halve(0, targets.length);
    emitter.i32(exits.invalidJump);
    emitter.set(local.code);
    emitter.op(0x0c);
    emitter.out.u32(1 + emitter.inner);
  }
}
