import { gasLocal, temporary } from './emitter.ts';
import type { WordHelper } from './helpers/index.ts';
import type { Place } from './place.ts';
import type { Item } from './virtual-stack.ts';

const zero: Item = { kind: 'constant', value: 0n };

/** Takes operands, the top of the stack first, to what computes with them. */
export function helper(name: WordHelper, { emitter, stack }: Place, count = 2): void {
  for (let operand = 0; operand < count; operand++) stack.limbs(stack.pop());
  emitter.call(name);
  stack.pushLimbs();
}

/** EXP: gas for each byte of the exponent (EIP-160), beside the price that the block has. */
export function exponentiate(place: Place): void {
  const { emitter, stack, pc, expByte } = place;
  const base = stack.pop();
  const exponent = stack.pop();
  stack.load(exponent);
  countLeadingZeros(place, exponent);
  emitter.i64(263n);
  emitter.get(temporary);
  emitter.op(0x7d);
  emitter.i64(3n);
  emitter.op(0x88);
  emitter.i64(BigInt(expByte));
  emitter.op(0x7e);
  emitter.set(temporary);
  emitter.get(gasLocal);
  emitter.get(temporary);
  emitter.op(0x7d);
  emitter.chargeTo(pc);
  stack.push(exponent);
  stack.push(base);
  helper('exp', place);
}

export function bitwise({ emitter, stack }: Place, opcode: number): void {
  const one = stack.pop();
  const other = stack.pop();
  for (let limb = 0; limb < 4; limb++) {
    stack.limb(one, limb);
    stack.limb(other, limb);
    emitter.op(opcode);
  }
  stack.pushLimbs();
}

/** one < other: the highest limb that differs decides; it alone has a sign where `topLess` is signed. */
export function compare({ emitter, stack }: Place, one: Item, other: Item, topLess: number): void {
  stack.load(one);
  stack.load(other);
  stack.limb(one, 0);
  stack.limb(other, 0);
  emitter.op(0x54);
  for (let limb = 1; limb < 4; limb++) {
    // select(lower, less, equal): the result of the lower limbs counts where these are equal.
    stack.limb(one, limb);
    stack.limb(other, limb);
    emitter.op(limb === 3 ? topLess : 0x54);
    stack.limb(one, limb);
    stack.limb(other, limb);
    emitter.op(0x51);
    emitter.op(0x1b);
  }
  stack.pushFlag();
}

export function equal({ emitter, stack }: Place): void {
  const one = stack.pop();
  const other = stack.pop();
  for (let limb = 0; limb < 4; limb++) {
    stack.limb(one, limb);
    stack.limb(other, limb);
    emitter.op(0x85);
    if (limb > 0) emitter.op(0x84);
  }
  emitter.op(0x50);
  stack.pushFlag();
}

export function shift(opcode: number, place: Place): void {
  const { emitter, stack } = place;
  const by = stack.pop();
  const value = stack.pop();
  stack.load(by);
  stack.load(value);
  if (by.kind === 'constant' && opcode !== 0x1d) {
    constantShift(opcode === 0x1b, by.value, value, place);
    return;
  }
  // Shifts of 256 and more are those of 255 and then 1.
  const name = opcode === 0x1b ? 'shl' : opcode === 0x1c ? 'shr' : 'sar';
  const isLong = () => {
    stack.highLimbs(by);
    emitter.i64(0n);
    emitter.op(0x52);
    stack.limb(by, 0);
    emitter.i64(255n);
    emitter.op(0x56);
    emitter.op(0x72);
  };
  // 256 makes the helper go through all four limbs.
  emitter.i64(256n);
  stack.limb(by, 0);
  isLong();
  emitter.op(0x1b);
  stack.limbs(value);
  emitter.call(name);
  stack.pushLimbs();
}

function constantShift(isLeft: boolean, by: bigint, value: Item, { emitter, stack }: Place): void {
  if (by >= 256n) {
    stack.push({ ...zero });
    return;
  }
  const limbs = Number(by >> 6n);
  const bits = by & 63n;
  for (let to = 0; to < 4; to++) {
    const from = isLeft ? to - limbs : to + limbs;
    const next = isLeft ? from - 1 : from + 1;
    const isIn = (index: number) => index >= 0 && index <= 3;
    if (!isIn(from)) {
      emitter.i64(0n);
      continue;
    }
    stack.limb(value, from);
    if (bits === 0n) continue;
    emitter.i64(bits);
    emitter.op(isLeft ? 0x86 : 0x88);
    if (!isIn(next)) continue;
    stack.limb(value, next);
    emitter.i64(64n - bits);
    emitter.op(isLeft ? 0x88 : 0x86);
    emitter.op(0x84);
  }
  stack.pushLimbs();
}

/** CLZ (EIP-7939). */
export function leadingZeros(place: Place): void {
  const { emitter, stack } = place;
  const item = stack.pop();
  stack.load(item);
  countLeadingZeros(place, item);
  emitter.get(temporary);
  for (let limb = 1; limb < 4; limb++) emitter.i64(0n);
  stack.pushLimbs();
}

/** Into the local `temporary`; 256 for 0. From the lowest limb up: where one is 0, it is 64 more than for those below. */
function countLeadingZeros({ emitter, stack }: Place, item: Item): void {
  emitter.i64(0n);
  emitter.set(temporary);
  for (let limb = 0; limb < 4; limb++) {
    stack.limb(item, limb);
    emitter.op(0x79);
    emitter.get(temporary);
    emitter.i64(64n);
    emitter.op(0x7c);
    stack.limb(item, limb);
    emitter.i64(0n);
    emitter.op(0x52);
    emitter.op(0x1b);
    emitter.set(temporary);
  }
}
