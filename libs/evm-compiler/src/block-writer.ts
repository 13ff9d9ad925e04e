import { type Block, type Blocks, compileKind, pushedBytes } from './blocks.ts';
import { emitOpcode } from './emit-opcode.ts';
import { Emitter, floorLocal, gasLocal, local } from './emitter.ts';
import { elsewhere, exits } from './exits.ts';
import { region, stackMax, wordBytes } from './layout.ts';
import { type OpcodeFigures, op } from './opcodes/index.ts';
import type { Region } from './regions.ts';
import { type Item, VirtualStack } from './virtual-stack.ts';

/** Compiles the basic blocks of a region in order. Each one falls through to the next one. */
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

  /** Compiles the block with an index. */
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
      } else if (this.#writeOpcode(opcode, pc, index)) return;
    }
    this.#stack.flush();
  }

  /** Compiles one opcode. Returns whether the block has ended and its stack is in memory. */
  #writeOpcode(opcode: number, pc: number, index: number): boolean {
    const { emitter } = this;
    const stack = this.#stack;
    const kind = compileKind(opcode);
    if (kind === 'host' || kind === 'exit') {
      stack.flush();
      if (kind === 'host') emitter.callHost(pc);
      else emitter.leave(exits.host, pc);
      return true;
    }
    if (opcode === op.STOP) emitter.leave(exits.stop, pc);
    else if (opcode === op.JUMP) this.#jump(pc, index);
    else if (opcode === op.JUMPI) this.#jumpIf(pc, index);
    else {
      if (opcode >= op.DUP1 && opcode <= op.DUP16) stack.duplicate(opcode - op.DUP1 + 1);
      else if (opcode >= op.SWAP1 && opcode <= op.SWAP16) stack.swap(opcode - op.SWAP1 + 1);
      else emitOpcode(opcode, { emitter, stack, code: this.#code, pc, expByte: this.#figures.expByte });
      return false;
    }
    return true;
  }

  /** Leaves the last block of the region for the next block in the code. */
  fallThrough(): void {
    if (this.#region.end < this.#blocks.list.length) this.emitter.leaveForBlock(this.#region.end);
  }

  /** Constant of a PUSH: big-endian, with zeros for bytes beyond the end of the code. */
  #constant(at: number, length: number): bigint {
    let value = 0n;
    for (let index = 0; index < length; index++) value = (value << 8n) | BigInt(this.#code[at + index] ?? 0);
    return value;
  }

  /** Charges for the block and checks the depth of the stack. */
  #enter({ start, cost, needed, growth }: Block): void {
    const { emitter } = this;
    emitter.localGet(gasLocal);
    emitter.i64Const(BigInt(cost));
    emitter.i64Sub();
    emitter.localTee(gasLocal);
    emitter.localGet(floorLocal);
    emitter.i64LtS();
    const items = () => {
      emitter.localGet(local.sp);
      emitter.localGet(local.base);
      emitter.i32Sub();
    };
    if (needed > 0) {
      items();
      emitter.i32Const(region.stack + needed * wordBytes);
      emitter.i32LtS();
      emitter.i32Or();
    }
    if (growth > 0) {
      items();
      emitter.i32Const(region.stack + (stackMax - growth) * wordBytes);
      emitter.i32GtS();
      emitter.i32Or();
    }
    emitter.openIf();
    emitter.localGet(gasLocal);
    emitter.i64Const(BigInt(cost));
    emitter.i64Add();
    emitter.localSet(gasLocal);
    emitter.leave(exits.interpret, start);
    emitter.closeIf();
    emitter.localGet(local.sp);
    emitter.i32Const(needed * wordBytes);
    emitter.i32Sub();
    emitter.localSet(local.low);
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
    emitter.localSet(local.flag);
    if (destination.kind === 'constant') {
      this.#stack.flush();
      const target = this.#targetOf(destination.value);
      if (target !== undefined && target > index && target < this.#region.end) {
        emitter.localGet(local.flag);
        emitter.brIf(target - index - 1);
        return;
      }
      emitter.localGet(local.flag);
      emitter.openIf();
      this.#goTo(destination.value, pc, index);
      emitter.closeIf();
      return;
    }
    // An invalid destination is a fault only if the jump is taken.
    this.#stack.load(destination);
    this.#stack.flush();
    emitter.localGet(local.flag);
    emitter.openIf();
    this.#computeDestination(destination, pc);
    this.#search();
    emitter.closeIf();
  }

  /** Index of the block at a destination; `undefined` for an invalid one. */
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
      emitter.br(target - index - 1 + emitter.inner);
      return;
    }
    emitter.i32Const(target);
    emitter.localSet(local.next);
    emitter.dispatch();
  }

  /** Sets the local `at` to the destination, or to the length of the code, which is not a JUMPDEST, for a larger one. */
  #computeDestination(item: Item, pc: number): void {
    const { emitter } = this;
    const stack = this.#stack;
    stack.load(item);
    stack.limb(item, 0);
    emitter.i32WrapI64();
    emitter.i32Const(this.#code.length);
    stack.highLimbs(item);
    emitter.i64Eqz();
    stack.limb(item, 0);
    emitter.i64Const(BigInt(this.#code.length));
    emitter.i64LtU();
    emitter.i32And();
    emitter.select();
    emitter.localSet(local.at);
    emitter.i32Const(pc);
    emitter.localSet(local.pc);
  }

  /** Jumps to the destination in the local `at`, in this region or another one. */
  #search(): void {
    const { emitter } = this;
    const { first, end } = this.#region;
    const { list } = this.#blocks;
    const isWhole = end - first === list.length;
    if (!isWhole) {
      const start = list[first]?.start ?? 0;
      emitter.localGet(local.at);
      emitter.i32Const(start);
      emitter.i32Sub();
      emitter.i32Const((list[end]?.start ?? this.#code.length) - start);
      emitter.i32LtU();
      emitter.openIf();
    }
    emitter.i32Const(elsewhere.searchedBlock);
    emitter.localSet(local.next);
    emitter.dispatch();
    if (isWhole) return;
    emitter.closeIf();
    emitter.leaveForPlace();
  }

  /** Finds the block of the destination in the local `at` by binary search. */
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
        emitter.localGet(local.at);
        emitter.i32Const(target.start);
        emitter.i32Eq();
        emitter.openIf();
        emitter.i32Const(target.index);
        emitter.localSet(local.next);
        emitter.dispatch();
        emitter.closeIf();
        return;
      }
      const middle = (first + end) >> 1;
      emitter.localGet(local.at);
      emitter.i32Const(targets[middle]?.start ?? 0);
      emitter.i32LtU();
      emitter.openIf();
      halve(first, middle);
      emitter.else();
      halve(middle, end);
      emitter.closeIf();
    };
    halve(0, targets.length);
    emitter.i32Const(exits.invalidJump);
    emitter.localSet(local.code);
    emitter.br(1 + emitter.inner);
  }
}
