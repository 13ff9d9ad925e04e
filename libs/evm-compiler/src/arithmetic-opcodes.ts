import { gasLocal, temporary } from './emitter.ts';
import type { WordHelper } from './helpers/index.ts';
import type { Place } from './place.ts';
import type { Item } from './virtual-stack.ts';

const zero: Item = { kind: 'constant', value: 0n };

/** Pops the operands, the top of the stack first, and pushes the result of a helper. */
export function helper(name: WordHelper, { emitter, stack }: Place, count = 2): void {
  for (let operand = 0; operand < count; operand++) stack.limbs(stack.pop());
  emitter.callHelper(name);
  stack.pushLimbs();
}

/** EXP. The block has charged the constant price; gas for each byte of the exponent (EIP-160) is charged here. */
export function exponentiate(place: Place): void {
  const { emitter, stack, pc, expByte } = place;
  const base = stack.pop();
  const exponent = stack.pop();
  stack.load(exponent);
  countLeadingZeros(place, exponent);
  emitter.i64Const(263n);
  emitter.localGet(temporary);
  emitter.i64Sub();
  emitter.i64Const(3n);
  emitter.i64ShrU();
  emitter.i64Const(BigInt(expByte));
  emitter.i64Mul();
  emitter.localSet(temporary);
  emitter.localGet(gasLocal);
  emitter.localGet(temporary);
  emitter.i64Sub();
  emitter.chargeTo(pc);
  stack.push(exponent);
  stack.push(base);
  helper('exp', place);
}

/** AND, OR and XOR, limb by limb. */
export function bitwise({ emitter, stack }: Place, instruction: 'i64And' | 'i64Or' | 'i64Xor'): void {
  const one = stack.pop();
  const other = stack.pop();
  for (let limb = 0; limb < 4; limb++) {
    stack.limb(one, limb);
    stack.limb(other, limb);
    emitter[instruction]();
  }
  stack.pushLimbs();
}

/** NOT, limb by limb. */
export function not({ emitter, stack }: Place): void {
  const item = stack.pop();
  stack.load(item);
  for (let limb = 0; limb < 4; limb++) {
    stack.limb(item, limb);
    emitter.i64Const(-1n);
    emitter.i64Xor();
  }
  stack.pushLimbs();
}

/**
 * Pushes whether an operand is less than the other one.
 * @param less operand that must be the lesser one
 * @param topLess comparison of the highest limbs; signed for SLT and SGT
 */
export function compare({ emitter, stack }: Place, less: 'top' | 'second', topLess: 'i64LtS' | 'i64LtU'): void {
  const top = stack.pop();
  const second = stack.pop();
  const [one, other] = less === 'top' ? [top, second] : [second, top];
  stack.load(one);
  stack.load(other);
  stack.limb(one, 0);
  stack.limb(other, 0);
  emitter.i64LtU();
  for (let limb = 1; limb < 4; limb++) {
    // select(lower, less, equal): the lower limbs decide if these limbs are equal.
    stack.limb(one, limb);
    stack.limb(other, limb);
    emitter[limb === 3 ? topLess : 'i64LtU']();
    stack.limb(one, limb);
    stack.limb(other, limb);
    emitter.i64Eq();
    emitter.select();
  }
  stack.pushFlag();
}

export function equal({ emitter, stack }: Place): void {
  const one = stack.pop();
  const other = stack.pop();
  for (let limb = 0; limb < 4; limb++) {
    stack.limb(one, limb);
    stack.limb(other, limb);
    emitter.i64Xor();
    if (limb > 0) emitter.i64Or();
  }
  emitter.i64Eqz();
  stack.pushFlag();
}

/** SHL, SHR (EIP-145) and SAR. */
export function shift(place: Place, name: 'shl' | 'shr' | 'sar'): void {
  const { emitter, stack } = place;
  const by = stack.pop();
  const value = stack.pop();
  stack.load(by);
  stack.load(value);
  if (by.kind === 'constant' && name !== 'sar') {
    constantShift(name === 'shl', by.value, value, place);
    return;
  }
  const isLong = () => {
    stack.highLimbs(by);
    emitter.i64Const(0n);
    emitter.i64Ne();
    stack.limb(by, 0);
    emitter.i64Const(255n);
    emitter.i64GtU();
    emitter.i32Or();
  };
  // The helpers take a shift of 256 at most, which moves all four limbs out.
  emitter.i64Const(256n);
  stack.limb(by, 0);
  isLong();
  emitter.select();
  stack.limbs(value);
  emitter.callHelper(name);
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
      emitter.i64Const(0n);
      continue;
    }
    stack.limb(value, from);
    if (bits === 0n) continue;
    emitter.i64Const(bits);
    emitter[isLeft ? 'i64Shl' : 'i64ShrU']();
    if (!isIn(next)) continue;
    stack.limb(value, next);
    emitter.i64Const(64n - bits);
    emitter[isLeft ? 'i64ShrU' : 'i64Shl']();
    emitter.i64Or();
  }
  stack.pushLimbs();
}

/** CLZ (EIP-7939). */
export function leadingZeros(place: Place): void {
  const { emitter, stack } = place;
  const item = stack.pop();
  stack.load(item);
  countLeadingZeros(place, item);
  emitter.localGet(temporary);
  for (let limb = 1; limb < 4; limb++) emitter.i64Const(0n);
  stack.pushLimbs();
}

/** Sets the local `temporary` to the leading zeros of a word; 256 for 0. A limb of 0 adds 64 to the count below it. */
function countLeadingZeros({ emitter, stack }: Place, item: Item): void {
  emitter.i64Const(0n);
  emitter.localSet(temporary);
  for (let limb = 0; limb < 4; limb++) {
    stack.limb(item, limb);
    emitter.i64Clz();
    emitter.localGet(temporary);
    emitter.i64Const(64n);
    emitter.i64Add();
    stack.limb(item, limb);
    emitter.i64Const(0n);
    emitter.i64Ne();
    emitter.select();
    emitter.localSet(temporary);
  }
}
