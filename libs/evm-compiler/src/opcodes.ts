import { type Emitter, floorLocal, gasLocal, local, temporary } from './emitter.ts';
import { exits } from './exits.ts';
import { fold } from './fold.ts';
import { computed } from './helpers/arithmetic.ts';
import { header, region, scratch } from './layout.ts';
import { hashMemory, readMemoryWord, writeMemoryByte, writeMemoryWord } from './memory-opcodes.ts';
import type { Item, VirtualStack } from './virtual-stack.ts';

export interface Place {
  readonly emitter: Emitter;
  readonly stack: VirtualStack;
  readonly code: Uint8Array;
  readonly pc: number;
}

const zero: Item = { kind: 'constant', value: 0n };

/** Writes one opcode that neither jumps nor leaves the code. */
export function emitOpcode(opcode: number, place: Place): void {
  const { stack } = place;
  const folded = fold(opcode, stack);
  if (folded) return;
  switch (opcode) {
    case 0x01:
      stack.sum(stack.pop(), stack.pop(), false);
      break;
    case 0x02:
      helper('multiply', place);
      break;
    case 0x03:
      stack.sum(stack.pop(), stack.pop(), true);
      break;
    case 0x04:
      helper('div', place);
      break;
    case 0x05:
      throughHost(computed.sdiv, 2, place);
      break;
    case 0x06:
      helper('mod', place);
      break;
    case 0x07:
      throughHost(computed.smod, 2, place);
      break;
    case 0x08:
      throughHost(computed.addmod, 3, place);
      break;
    case 0x09:
      throughHost(computed.mulmod, 3, place);
      break;
    case 0x0a:
      exponentiate(place);
      break;
    case 0x0b:
      throughHost(computed.signextend, 2, place);
      break;
    case 0x10:
      compare(place, stack.pop(), stack.pop(), 0x54);
      break;
    case 0x11: {
      const one = stack.pop();
      compare(place, stack.pop(), one, 0x54);
      break;
    }
    case 0x12:
      compare(place, stack.pop(), stack.pop(), 0x53);
      break;
    case 0x13: {
      const one = stack.pop();
      compare(place, stack.pop(), one, 0x53);
      break;
    }
    case 0x14:
      equal(place);
      break;
    case 0x15:
      stack.truth(stack.pop());
      place.emitter.op(0x45);
      stack.pushFlag();
      break;
    case 0x16:
      bitwise(place, 0x83);
      break;
    case 0x17:
      bitwise(place, 0x84);
      break;
    case 0x18:
      bitwise(place, 0x85);
      break;
    case 0x19: {
      const item = stack.pop();
      stack.load(item);
      for (let limb = 0; limb < 4; limb++) {
        stack.limb(item, limb);
        place.emitter.i64(-1n);
        place.emitter.op(0x85);
      }
      stack.pushLimbs();
      break;
    }
    case 0x1a:
      throughHost(computed.byte, 2, place);
      break;
    case 0x1b:
    case 0x1c:
    case 0x1d:
      shift(opcode, place);
      break;
    case 0x1e:
      leadingZeros(place);
      break;
    case 0x20:
      hashMemory(place);
      break;
    case 0x30:
      environment(place, region.address);
      break;
    case 0x33:
      environment(place, region.caller);
      break;
    case 0x34:
      environment(place, region.value);
      break;
    case 0x35:
      callData(place);
      break;
    case 0x36:
      headerWord(place, header.dataSize);
      break;
    case 0x38:
      stack.push({ kind: 'constant', value: BigInt(place.code.length) });
      break;
    case 0x3d:
      headerWord(place, header.returnDataSize);
      break;
    case 0x50:
      stack.pop();
      break;
    case 0x51:
      readMemoryWord(place);
      break;
    case 0x52:
      writeMemoryWord(place);
      break;
    case 0x53:
      writeMemoryByte(place);
      break;
    case 0x58:
      stack.push({ kind: 'constant', value: BigInt(place.pc) });
      break;
    case 0x59:
      place.emitter.get(local.size);
      smallWord(place);
      break;
    case 0x5a: {
      place.emitter.get(gasLocal);
      for (let limb = 1; limb < 4; limb++) place.emitter.i64(0n);
      stack.pushLimbs();
      break;
    }
    case 0x5b:
      break;
    case 0x5f:
      stack.push({ ...zero });
      break;
    default:
      throw new Error(`The compiler does not know the opcode 0x${opcode.toString(16)}.`);
  }
}

/** A word of an i32 on the stack of the machine. */
function smallWord({ emitter, stack }: Place): void {
  emitter.op(0xad);
  for (let limb = 1; limb < 4; limb++) emitter.i64(0n);
  stack.pushLimbs();
}

function headerWord(place: Place, offset: number): void {
  place.emitter.i32(0);
  place.emitter.load(0x28, offset);
  smallWord(place);
}

function environment({ emitter, stack }: Place, offset: number): void {
  for (let limb = 0; limb < 4; limb++) {
    emitter.get(local.base);
    emitter.load(0x29, offset + 8 * limb);
  }
  stack.pushLimbs();
}

function helper(name: 'multiply' | 'div' | 'mod', { emitter, stack }: Place): void {
  const one = stack.pop();
  const other = stack.pop();
  stack.limbs(one);
  stack.limbs(other);
  emitter.call(name);
  stack.pushLimbs();
}

/** What the host computes with bigints. */
function throughHost(kind: number, count: number, { emitter, stack }: Place): void {
  for (let operand = 0; operand < count; operand++) {
    const item = stack.pop();
    stack.load(item);
    for (let limb = 0; limb < 4; limb++) {
      emitter.i32(scratch);
      stack.limb(item, limb);
      emitter.load(0x37, 32 * operand + 8 * limb);
    }
  }
  emitter.i32(kind);
  emitter.call('compute');
  for (let limb = 0; limb < 4; limb++) {
    emitter.i32(scratch);
    emitter.load(0x29, 8 * limb);
  }
  stack.pushLimbs();
}

/** EXP: 50 gas for each byte of the exponent (EIP-160), beside the price that the block has. */
function exponentiate(place: Place): void {
  const { emitter, stack, pc } = place;
  const base = stack.pop();
  const exponent = stack.pop();
  stack.load(exponent);
  countLeadingZeros(place, exponent);
  emitter.i64(263n);
  emitter.get(temporary);
  emitter.op(0x7d);
  emitter.i64(3n);
  emitter.op(0x88);
  emitter.i64(50n);
  emitter.op(0x7e);
  emitter.set(temporary);
  emitter.get(gasLocal);
  emitter.get(temporary);
  emitter.op(0x7d);
  emitter.tee(gasLocal);
  emitter.get(floorLocal);
  emitter.op(0x53);
  emitter.if();
  emitter.leave(exits.outOfGas, pc);
  emitter.end();
  stack.push(exponent);
  stack.push(base);
  throughHost(computed.exp, 2, place);
}

function bitwise({ emitter, stack }: Place, opcode: number): void {
  const one = stack.pop();
  const other = stack.pop();
  stack.load(one);
  stack.load(other);
  for (let limb = 0; limb < 4; limb++) {
    stack.limb(one, limb);
    stack.limb(other, limb);
    emitter.op(opcode);
  }
  stack.pushLimbs();
}

/** one < other: the highest limb that differs decides; it alone has a sign where `topLess` is signed. */
function compare({ emitter, stack }: Place, one: Item, other: Item, topLess: number): void {
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

function equal({ emitter, stack }: Place): void {
  const one = stack.pop();
  const other = stack.pop();
  stack.load(one);
  stack.load(other);
  for (let limb = 0; limb < 4; limb++) {
    stack.limb(one, limb);
    stack.limb(other, limb);
    emitter.op(0x85);
    if (limb > 0) emitter.op(0x84);
  }
  emitter.op(0x50);
  stack.pushFlag();
}

function shift(opcode: number, place: Place): void {
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
    stack.limb(by, 1);
    stack.limb(by, 2);
    emitter.op(0x84);
    stack.limb(by, 3);
    emitter.op(0x84);
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
function leadingZeros(place: Place): void {
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

/** The input is followed by zeros, which are what lies beyond it. */
function callData({ emitter, stack }: Place): void {
  const offset = stack.pop();
  stack.load(offset);
  const size = () => {
    emitter.i32(0);
    emitter.load(0x28, header.dataSize);
  };
  stack.limb(offset, 0);
  emitter.op(0xa7);
  size();
  // Within the input where no high limb is set and the low one is not greater.
  stack.limb(offset, 0);
  size();
  emitter.op(0xad);
  emitter.op(0x58); // i64.le_u
  stack.limb(offset, 1);
  stack.limb(offset, 2);
  emitter.op(0x84);
  stack.limb(offset, 3);
  emitter.op(0x84);
  emitter.op(0x50);
  emitter.op(0x71);
  emitter.op(0x1b);
  emitter.i32(0);
  emitter.load(0x28, header.dataBase);
  emitter.op(0x6a);
  emitter.set(local.at);
  readReversed(emitter, 0);
  stack.pushLimbs();
}

const reversal = Uint8Array.from({ length: 16 }, (_, index) => 15 - index);

/** Four limbs of the 32 big-endian bytes at the local `at`, on the stack of the machine. */
export function readReversed(emitter: Emitter, offset: number): void {
  for (const half of [16, 0]) {
    for (const lane of [0, 1]) {
      emitter.get(local.at);
      emitter.prefixed(0xfd, 0); // v128.load
      emitter.out.u32(0);
      emitter.out.u32(offset + half);
      emitter.get(local.at);
      emitter.prefixed(0xfd, 0);
      emitter.out.u32(0);
      emitter.out.u32(offset + half);
      emitter.prefixed(0xfd, 13); // i8x16.shuffle
      emitter.out.bytes(reversal);
      emitter.prefixed(0xfd, 29); // i64x2.extract_lane
      emitter.out.u8(lane);
    }
  }
}

/** Writes an item as 32 big-endian bytes at the local `at`. */
export function writeReversed(emitter: Emitter, stack: VirtualStack, item: Item, offset: number): void {
  for (const [half, low] of [
    [16, 0],
    [0, 2],
  ] as const) {
    emitter.get(local.at);
    stack.limb(item, low);
    emitter.prefixed(0xfd, 18); // i64x2.splat
    stack.limb(item, low + 1);
    emitter.prefixed(0xfd, 30); // i64x2.replace_lane
    emitter.out.u8(1);
    stack.limb(item, low);
    emitter.prefixed(0xfd, 18);
    emitter.prefixed(0xfd, 13);
    emitter.out.bytes(reversal);
    emitter.prefixed(0xfd, 11); // v128.store
    emitter.out.u32(0);
    emitter.out.u32(offset + half);
  }
}
