import { carryLocal, gasLocal, leastLocal, local, temporary } from './emitter.ts';
import { exits } from './exits.ts';
import { countedBytesMax, header, keccakPlace, memoryBytesMax } from './layout.ts';
import type { Place } from './place.ts';
import type { Item } from './virtual-stack.ts';
import { readReversed, writeReversed } from './words-in-memory.ts';

/** Leaves where gas does not suffice; the local `size` is what memory has become. */
function expandTo({ emitter, pc }: Place): void {
  emitter.get(gasLocal);
  emitter.get(leastLocal);
  emitter.call('expand');
  emitter.tee(temporary);
  emitter.i64(0n);
  emitter.op(0x53);
  emitter.if();
  emitter.leave(exits.outOfGas, pc);
  emitter.end();
  emitter.get(temporary);
  emitter.set(gasLocal);
  emitter.i32(0);
  emitter.load(0x28, header.memorySize);
  emitter.set(local.size);
}

/** Makes a range of a length that is known accessible. The local `at` is where it begins. */
function reach(place: Place, offset: Item, length: number): void {
  const { emitter, stack, pc } = place;
  stack.load(offset);
  if (offset.kind === 'constant') {
    const end = offset.value + BigInt(length);
    if (end > BigInt(memoryBytesMax)) {
      // The rest of the block is written all the same; it is never reached.
      emitter.i32(0);
      emitter.op(0x45);
      emitter.if();
      emitter.leave(exitBeyond(end), pc);
      emitter.end();
    } else {
      emitter.i32(Number(end));
      emitter.get(local.size);
      emitter.op(0x4b);
      emitter.if();
      emitter.i32(Number(end));
      expandTo(place);
      emitter.end();
    }
    emitter.get(local.memory);
    emitter.i32(Number(end > BigInt(memoryBytesMax) ? 0n : offset.value));
    emitter.op(0x6a);
    emitter.set(local.at);
    return;
  }
  checkPlace(place, offset, length);
  stack.limb(offset, 0);
  emitter.op(0xa7);
  emitter.tee(local.at);
  emitter.i32(length);
  emitter.op(0x6a);
  emitter.get(local.size);
  emitter.op(0x4b);
  emitter.if();
  emitter.get(local.at);
  emitter.i32(length);
  emitter.op(0x6a);
  expandTo(place);
  emitter.end();
  emitter.get(local.memory);
  emitter.get(local.at);
  emitter.op(0x6a);
  emitter.set(local.at);
}

const uint64Max = 2n ** 64n - 1n;

function exitBeyond(end: bigint): (typeof exits)[keyof typeof exits] {
  if (end > uint64Max) return exits.gasOverflow;
  return end > BigInt(countedBytesMax) ? exits.priceOverflow : exits.outOfGas;
}

/** Leaves where a place is beyond all memory. */
function checkPlace({ emitter, stack, pc }: Place, offset: Item, length: number): void {
  const isHigh = () => {
    stack.highLimbs(offset);
    emitter.i64(0n);
    emitter.op(0x52);
  };
  const isBeyond = (bytesMax: number) => {
    stack.limb(offset, 0);
    emitter.i64(BigInt(bytesMax - length));
    emitter.op(0x56);
  };
  isHigh();
  isBeyond(memoryBytesMax);
  emitter.op(0x72);
  emitter.if();
  emitter.i32(exits.gasOverflow);
  emitter.i32(exits.priceOverflow);
  emitter.i32(exits.outOfGas);
  isBeyond(countedBytesMax);
  emitter.op(0x1b);
  isHigh();
  emitter.op(0x1b);
  emitter.set(local.code);
  emitter.leaveWithCode(pc);
  emitter.end();
}

export function readMemoryWord(place: Place): void {
  reach(place, place.stack.pop(), 32);
  readReversed(place.emitter, 0);
  place.stack.pushLimbs();
}

export function writeMemoryWord(place: Place): void {
  const offset = place.stack.pop();
  const value = place.stack.pop();
  place.stack.load(value);
  reach(place, offset, 32);
  writeReversed(place.emitter, place.stack, value, 0);
}

export function writeMemoryByte(place: Place): void {
  const { emitter, stack } = place;
  const offset = stack.pop();
  const value = stack.pop();
  stack.load(value);
  reach(place, offset, 1);
  emitter.get(local.at);
  stack.limb(value, 0);
  emitter.op(0xa7);
  emitter.load(0x3a, 0);
}

/** KECCAK256: the price of its words is charged here, that of the opcode with the block. */
export function hashMemory(place: Place): void {
  const { emitter, stack, pc } = place;
  const offset = stack.pop();
  const length = stack.pop();
  stack.load(offset);
  stack.load(length);
  // An empty range is none, wherever it is.
  stack.truth(length);
  emitter.if();
  checkSum(place, offset, length);
  stack.limb(offset, 0);
  stack.limb(length, 0);
  emitter.op(0x7c);
  emitter.op(0xa7);
  emitter.tee(local.at);
  emitter.get(local.size);
  emitter.op(0x4b);
  emitter.if();
  emitter.get(local.at);
  expandTo(place);
  emitter.end();
  emitter.get(gasLocal);
  stack.limb(length, 0);
  emitter.i64(31n);
  emitter.op(0x7c);
  emitter.i64(5n);
  emitter.op(0x88);
  emitter.i64(6n);
  emitter.op(0x7e);
  emitter.op(0x7d);
  emitter.chargeTo(pc);
  emitter.end();
  emitter.get(local.memory);
  stack.limb(offset, 0);
  emitter.op(0xa7);
  emitter.op(0x6a);
  // An empty range may be said to be anywhere: nothing is read there.
  emitter.get(local.memory);
  stack.truth(length);
  emitter.op(0x1b);
  stack.limb(length, 0);
  emitter.op(0xa7);
  emitter.call('keccak');
  emitter.i32(keccakPlace.state);
  emitter.set(local.at);
  readReversed(emitter, 0);
  stack.pushLimbs();
}

/** Leaves where offset + length is beyond all memory; both are words. */
function checkSum({ emitter, stack, pc }: Place, offset: Item, length: Item): void {
  const isHigh = () => {
    orOfHighLimbs();
    emitter.i64(0n);
    emitter.op(0x52);
  };
  const orOfHighLimbs = () => {
    stack.limb(offset, 1);
    for (const [item, limb] of [
      [offset, 2],
      [offset, 3],
      [length, 1],
      [length, 2],
      [length, 3],
    ] as const) {
      stack.limb(item, limb);
      emitter.op(0x84);
    }
  };
  // Each below 2^40, so that the sum is exact.
  const isLarge = () => {
    orOfHighLimbs();
    stack.limb(offset, 0);
    stack.limb(length, 0);
    emitter.op(0x84);
    emitter.i64(40n);
    emitter.op(0x88);
    emitter.op(0x84);
    emitter.i64(0n);
    emitter.op(0x52);
  };
  stack.limb(offset, 0);
  stack.limb(length, 0);
  emitter.op(0x7c);
  emitter.set(carryLocal);
  isLarge();
  emitter.get(carryLocal);
  emitter.i64(BigInt(memoryBytesMax));
  emitter.op(0x56);
  emitter.op(0x72);
  emitter.if();
  emitter.i32(exits.gasOverflow);
  emitter.i32(exits.priceOverflow);
  emitter.i32(exits.outOfGas);
  isLarge();
  emitter.get(carryLocal);
  emitter.i64(BigInt(countedBytesMax));
  emitter.op(0x56);
  emitter.op(0x72);
  emitter.op(0x1b);
  isHigh();
  emitter.op(0x1b);
  emitter.set(local.code);
  emitter.leaveWithCode(pc);
  emitter.end();
}
