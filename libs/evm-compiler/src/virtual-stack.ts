import { carryLocal, type Emitter, local } from './emitter.ts';
import { wordBytes } from './layout.ts';

/** A word on the virtual stack. The first read changes its kind in place, so that all references see the change. */
export type Item =
  | { kind: 'constant'; value: bigint }
  /** Still on the stack in memory. `depth` counts from the top at the start of the block: -1 is that top. */
  | { kind: 'memory'; depth: number }
  /** Four i64 locals, the lowest limb first. */
  | { kind: 'limbs'; first: number }
  /** One i32 local that is 0 or 1. */
  | { kind: 'flag'; index: number };

const limbMask = (1n << 64n) - 1n;

/** The stack while a basic block is compiled. Pushes, duplicates and swaps emit no instruction. */
export class VirtualStack {
  readonly #emitter: Emitter;
  #items: Item[] = [];
  /** Words of the stack in memory that the block has referred to. */
  #taken = 0;
  #needed = 0;

  constructor(emitter: Emitter) {
    this.#emitter = emitter;
  }

  /** @param needed words below the top that the block reaches; the local `low` points there */
  begin(needed: number): void {
    this.#items = [];
    this.#taken = 0;
    this.#needed = needed;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  pop(): Item {
    return this.#items.pop() ?? { kind: 'memory', depth: -++this.#taken };
  }

  /** Values of the top items, from the top down to the first item that is not a constant. */
  constants(count: number): bigint[] {
    const values: bigint[] = [];
    for (const item of this.#items.slice(-count).reverse()) {
      if (item.kind !== 'constant') break;
      values.push(item.value);
    }
    return values;
  }

  /** Adds references to words in memory until there are `count` items. */
  #reach(count: number): void {
    while (this.#items.length < count) this.#items.unshift({ kind: 'memory', depth: -++this.#taken });
  }

  duplicate(depth: number): void {
    this.#reach(depth);
    this.#items.push(this.#items[this.#items.length - depth] as Item);
  }

  swap(depth: number): void {
    this.#reach(depth + 1);
    const top = this.#items.length - 1;
    const other = top - depth;
    const item = this.#items[top] as Item;
    this.#items[top] = this.#items[other] as Item;
    this.#items[other] = item;
  }

  /** Reads an item into locals if it is still in memory. */
  load(item: Item): void {
    if (item.kind !== 'memory') return;
    const { depth } = item;
    const first = this.#emitter.word();
    for (let limb = 0; limb < 4; limb++) {
      this.#emitter.localGet(local.low);
      this.#emitter.i64Load((depth + this.#needed) * wordBytes + limb * 8);
      this.#emitter.localSet(first + limb);
    }
    Object.assign(item, { kind: 'limbs', first });
  }

  /** Pushes one limb of an item on WebAssembly's stack. */
  limb(item: Item, index: number): void {
    this.load(item);
    if (item.kind === 'constant') this.#emitter.i64Const((item.value >> BigInt(64 * index)) & limbMask);
    else if (item.kind === 'limbs') this.#emitter.localGet(item.first + index);
    else if (item.kind === 'flag' && index === 0) {
      this.#emitter.localGet(item.index);
      this.#emitter.i64ExtendI32U();
    } else this.#emitter.i64Const(0n);
  }

  limbs(item: Item): void {
    for (let index = 0; index < 4; index++) this.limb(item, index);
  }

  /** Pushes the OR of the three high limbs: 0 if the word fits 64 bits. */
  highLimbs(item: Item): void {
    this.limb(item, 1);
    for (const index of [2, 3]) {
      this.limb(item, index);
      this.#emitter.i64Or();
    }
  }

  /** Pops four limbs from WebAssembly's stack, the highest on top, and pushes them as an item. */
  pushLimbs(): void {
    const first = this.#emitter.word();
    for (let index = 3; index >= 0; index--) this.#emitter.localSet(first + index);
    this.push({ kind: 'limbs', first });
  }

  /** Pops a flag (i32) from WebAssembly's stack and pushes it as an item. */
  pushFlag(): void {
    const index = this.#emitter.flag();
    if (index !== undefined) {
      this.#emitter.localSet(index);
      this.push({ kind: 'flag', index });
      return;
    }
    const first = this.#emitter.word();
    this.#emitter.i64ExtendI32U();
    this.#emitter.localSet(first);
    for (let limb = 1; limb < 4; limb++) {
      this.#emitter.i64Const(0n);
      this.#emitter.localSet(first + limb);
    }
    this.push({ kind: 'limbs', first });
  }

  /** Pushes an i32: 1 if the item is not 0, else 0. */
  truth(item: Item): void {
    this.load(item);
    if (item.kind === 'flag') {
      this.#emitter.localGet(item.index);
      return;
    }
    if (item.kind === 'constant') {
      this.#emitter.i32Const(item.value === 0n ? 0 : 1);
      return;
    }
    this.limb(item, 0);
    for (let index = 1; index < 4; index++) {
      this.limb(item, index);
      this.#emitter.i64Or();
    }
    this.#emitter.i64Const(0n);
    this.#emitter.i64Ne();
  }

  /** Writes changed items to the stack in memory and moves its top. */
  flush(): void {
    const emitter = this.#emitter;
    const depthOf = (index: number) => index - this.#taken;
    for (const [index, item] of this.#items.entries())
      if (item.kind === 'memory' && item.depth !== depthOf(index)) this.load(item);
    for (const [index, item] of this.#items.entries()) {
      if (item.kind === 'memory') continue;
      const offset = (depthOf(index) + this.#needed) * wordBytes;
      for (let limb = 0; limb < 4; limb++) {
        emitter.localGet(local.low);
        this.limb(item, limb);
        emitter.i64Store(offset + limb * 8);
      }
    }
    const moved = this.#items.length - this.#taken;
    if (moved === 0) return;
    emitter.localGet(local.sp);
    emitter.i32Const(moved * wordBytes);
    emitter.i32Add();
    emitter.localSet(local.sp);
  }

  /** Pushes the sum or difference, limb by limb with carries. */
  sum(one: Item, other: Item, isDifference: boolean): void {
    const emitter = this.#emitter;
    this.load(one);
    this.load(other);
    const first = emitter.word();
    const sumOrDifference = isDifference ? 'i64Sub' : 'i64Add';
    for (let index = 0; index < 4; index++) {
      const result = first + index;
      this.limb(one, index);
      this.limb(other, index);
      emitter[sumOrDifference]();
      emitter.localSet(result);
      if (index === 0) {
        if (isDifference) {
          this.limb(one, 0);
          this.limb(other, 0);
        } else {
          emitter.localGet(result);
          this.limb(one, 0);
        }
        emitter.i64LtU();
        emitter.i64ExtendI32U();
        emitter.localSet(carryLocal);
        continue;
      }
      if (index === 3) {
        emitter.localGet(result);
        emitter.localGet(carryLocal);
        emitter[sumOrDifference]();
        emitter.localSet(result);
        continue;
      }
      // The limbs may carry out, or adding the carry may. Both cannot happen.
      if (isDifference) {
        this.limb(one, index);
        this.limb(other, index);
        emitter.i64LtU();
        emitter.localGet(result);
        emitter.localGet(carryLocal);
        emitter.i64LtU();
        emitter.i32Or();
        emitter.localGet(result);
        emitter.localGet(carryLocal);
        emitter.i64Sub();
        emitter.localSet(result);
      } else {
        emitter.localGet(result);
        this.limb(one, index);
        emitter.i64LtU();
        emitter.localGet(result);
        emitter.localGet(carryLocal);
        emitter.i64Add();
        emitter.localTee(result);
        emitter.localGet(carryLocal);
        emitter.i64LtU();
        emitter.i32Or();
      }
      emitter.i64ExtendI32U();
      emitter.localSet(carryLocal);
    }
    this.push({ kind: 'limbs', first });
  }
}
