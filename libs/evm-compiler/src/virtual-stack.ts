import { carryLocal, type Emitter, local } from './emitter.ts';
import { wordBytes } from './layout.ts';

/** A word as it is known while a block is written. It changes its kind when it is first read, for all who refer to it. */
export type Item =
  | { kind: 'constant'; value: bigint }
  /** On the stack in memory, at a place from the top that was at the beginning of the block: -1 is that top. */
  | { kind: 'slot'; slot: number }
  /** Four i64 locals, the lowest limb first. */
  | { kind: 'limbs'; first: number }
  /** One i32 local that is 0 or 1. */
  | { kind: 'flag'; index: number };

const limbMask = (1n << 64n) - 1n;

/** The stack while a block is written: pushes and moves cost nothing. */
export class VirtualStack {
  readonly #emitter: Emitter;
  #items: Item[] = [];
  /** Items of the stack in memory that are among the items, or were taken. */
  #taken = 0;
  #needed = 0;

  constructor(emitter: Emitter) {
    this.#emitter = emitter;
  }

  /** @param needed how deep the block reaches: the local `low` is that far below the top */
  begin(needed: number): void {
    this.#items = [];
    this.#taken = 0;
    this.#needed = needed;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  pop(): Item {
    return this.#items.pop() ?? { kind: 'slot', slot: -++this.#taken };
  }

  /** The values of the top items, from the top, up to the first that is no constant. */
  constants(count: number): bigint[] {
    const values: bigint[] = [];
    for (const item of this.#items.slice(-count).reverse()) {
      if (item.kind !== 'constant') break;
      values.push(item.value);
    }
    return values;
  }

  /** Makes sure that so many items are here. */
  #reach(count: number): void {
    while (this.#items.length < count) this.#items.unshift({ kind: 'slot', slot: -++this.#taken });
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

  /** Reads an item from memory where it still is there. */
  load(item: Item): void {
    if (item.kind !== 'slot') return;
    const { slot } = item;
    const first = this.#emitter.word();
    for (let limb = 0; limb < 4; limb++) {
      this.#emitter.localGet(local.low);
      this.#emitter.i64Load((slot + this.#needed) * wordBytes + limb * 8);
      this.#emitter.localSet(first + limb);
    }
    Object.assign(item, { kind: 'limbs', first });
  }

  /** Puts one limb of an item on the stack of the machine. */
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

  /** The limbs above the lowest, joined by OR, on the stack of the machine: 0 where the word fits 64 bits. */
  highLimbs(item: Item): void {
    this.limb(item, 1);
    for (const index of [2, 3]) {
      this.limb(item, index);
      this.#emitter.i64Or();
    }
  }

  /** Takes four limbs from the stack of the machine, the highest on top. */
  pushLimbs(): void {
    const first = this.#emitter.word();
    for (let index = 3; index >= 0; index--) this.#emitter.localSet(first + index);
    this.push({ kind: 'limbs', first });
  }

  /** Takes a flag (i32) from the stack of the machine. */
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

  /** Puts 1 on the stack of the machine where the item is not 0. */
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

  /** Writes what has changed to the stack in memory, and moves its top. */
  flush(): void {
    const emitter = this.#emitter;
    const slotOf = (index: number) => index - this.#taken;
    for (const [index, item] of this.#items.entries())
      if (item.kind === 'slot' && item.slot !== slotOf(index)) this.load(item);
    for (const [index, item] of this.#items.entries()) {
      if (item.kind === 'slot') continue;
      const offset = (slotOf(index) + this.#needed) * wordBytes;
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

  /** Adds or subtracts limb by limb with carries. */
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
      // The carry out of the limbs, then that of the carry in; only one of them can be.
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
