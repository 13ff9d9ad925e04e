import { type Block, type Blocks, isAsked, isOfHost, type OpcodeFigures, pushedBytes } from './blocks.ts';
import { Emitter, floorLocal, gasLocal, local } from './emitter.ts';
import { elsewhere, exits } from './exits.ts';
import { region, stackMax, wordBytes } from './layout.ts';
import { emitOpcode } from './opcodes.ts';
import type { Region } from './regions.ts';
import { type Item, VirtualStack } from './virtual-stack.ts';

/** Writes the blocks of a region one after the other; what falls through goes on with the next one. */
export class BlockWriter {
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
