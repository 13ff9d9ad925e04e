import { carryLocal, gasLocal, leastLocal, local, temporary } from './emitter.ts';
import { exits } from './exits.ts';
import { countedBytesMax, header, keccakPlace, memoryBytesMax } from './layout.ts';
import type { Place } from './place.ts';
import type { Item } from './virtual-stack.ts';
import { readReversed, writeReversed } from './words-in-memory.ts';

/** Expands memory to the end on the stack and charges for it. Leaves with `outOfGas`, or updates the local `size`. */
function expandTo({ emitter, pc }: Place): void {
  emitter.localGet(gasLocal);
  emitter.localGet(leastLocal);
  emitter.callHelper('expand');
  emitter.localTee(temporary);
  emitter.i64Const(0n);
  emitter.i64LtS();
  emitter.openIf();
  emitter.leave(exits.outOfGas, pc);
  emitter.closeIf();
  emitter.localGet(temporary);
  emitter.localSet(gasLocal);
  emitter.i32Const(0);
  emitter.i32Load(header.memorySize);
  emitter.localSet(local.size);
}

/** Makes a range of known length accessible and sets the local `at` to its start. */
function reach(place: Place, offset: Item, length: number): void {
  const { emitter, stack, pc } = place;
  stack.load(offset);
  if (offset.kind === 'constant') {
    const end = offset.value + BigInt(length);
    if (end > BigInt(memoryBytesMax)) {
      // The code after this exit is never reached, but must be valid.
      emitter.i32Const(0);
      emitter.i32Eqz();
      emitter.openIf();
      emitter.leave(exitBeyond(end), pc);
      emitter.closeIf();
    } else {
      emitter.i32Const(Number(end));
      emitter.localGet(local.size);
      emitter.i32GtU();
      emitter.openIf();
      emitter.i32Const(Number(end));
      expandTo(place);
      emitter.closeIf();
    }
    emitter.localGet(local.memory);
    emitter.i32Const(Number(end > BigInt(memoryBytesMax) ? 0n : offset.value));
    emitter.i32Add();
    emitter.localSet(local.at);
    return;
  }
  checkPlace(place, offset, length);
  stack.limb(offset, 0);
  emitter.i32WrapI64();
  emitter.localTee(local.at);
  emitter.i32Const(length);
  emitter.i32Add();
  emitter.localGet(local.size);
  emitter.i32GtU();
  emitter.openIf();
  emitter.localGet(local.at);
  emitter.i32Const(length);
  emitter.i32Add();
  expandTo(place);
  emitter.closeIf();
  emitter.localGet(local.memory);
  emitter.localGet(local.at);
  emitter.i32Add();
  emitter.localSet(local.at);
}

const uint64Max = 2n ** 64n - 1n;

function exitBeyond(end: bigint): (typeof exits)[keyof typeof exits] {
  if (end > uint64Max) return exits.gasOverflow;
  return end > BigInt(countedBytesMax) ? exits.priceOverflow : exits.outOfGas;
}

/** Leaves the code if a memory offset exceeds the largest memory. */
function checkPlace({ emitter, stack, pc }: Place, offset: Item, length: number): void {
  const isHigh = () => {
    stack.highLimbs(offset);
    emitter.i64Const(0n);
    emitter.i64Ne();
  };
  const isBeyond = (bytesMax: number) => {
    stack.limb(offset, 0);
    emitter.i64Const(BigInt(bytesMax - length));
    emitter.i64GtU();
  };
  isHigh();
  isBeyond(memoryBytesMax);
  emitter.i32Or();
  emitter.openIf();
  emitter.i32Const(exits.gasOverflow);
  emitter.i32Const(exits.priceOverflow);
  emitter.i32Const(exits.outOfGas);
  isBeyond(countedBytesMax);
  emitter.select();
  isHigh();
  emitter.select();
  emitter.localSet(local.code);
  emitter.leaveWithCode(pc);
  emitter.closeIf();
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
  emitter.localGet(local.at);
  stack.limb(value, 0);
  emitter.i32WrapI64();
  emitter.i32Store8(0);
}

/** KECCAK256. The block has charged the constant price; the price per word is charged here. */
export function hashMemory(place: Place): void {
  const { emitter, stack, pc } = place;
  const offset = stack.pop();
  const length = stack.pop();
  stack.load(offset);
  stack.load(length);
  // An empty range needs no memory, whatever its offset is.
  stack.truth(length);
  emitter.openIf();
  checkSum(place, offset, length);
  stack.limb(offset, 0);
  stack.limb(length, 0);
  emitter.i64Add();
  emitter.i32WrapI64();
  emitter.localTee(local.at);
  emitter.localGet(local.size);
  emitter.i32GtU();
  emitter.openIf();
  emitter.localGet(local.at);
  expandTo(place);
  emitter.closeIf();
  emitter.localGet(gasLocal);
  stack.limb(length, 0);
  emitter.i64Const(31n);
  emitter.i64Add();
  emitter.i64Const(5n);
  emitter.i64ShrU();
  emitter.i64Const(6n);
  emitter.i64Mul();
  emitter.i64Sub();
  emitter.chargeTo(pc);
  emitter.closeIf();
  emitter.localGet(local.memory);
  stack.limb(offset, 0);
  emitter.i32WrapI64();
  emitter.i32Add();
  // The offset of an empty range may be out of bounds; memory's start replaces it.
  emitter.localGet(local.memory);
  stack.truth(length);
  emitter.select();
  stack.limb(length, 0);
  emitter.i32WrapI64();
  emitter.callHelper('keccak');
  emitter.i32Const(keccakPlace.state);
  emitter.localSet(local.at);
  readReversed(emitter, 0);
  stack.pushLimbs();
}

/** Leaves the code where offset + length, two words, is beyond the largest memory. */
function checkSum({ emitter, stack, pc }: Place, offset: Item, length: Item): void {
  const isHigh = () => {
    orOfHighLimbs();
    emitter.i64Const(0n);
    emitter.i64Ne();
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
      emitter.i64Or();
    }
  };
  // Operands from 2^40 on are large, so that the sum of others is exact.
  const isLarge = () => {
    orOfHighLimbs();
    stack.limb(offset, 0);
    stack.limb(length, 0);
    emitter.i64Or();
    emitter.i64Const(40n);
    emitter.i64ShrU();
    emitter.i64Or();
    emitter.i64Const(0n);
    emitter.i64Ne();
  };
  stack.limb(offset, 0);
  stack.limb(length, 0);
  emitter.i64Add();
  emitter.localSet(carryLocal);
  isLarge();
  emitter.localGet(carryLocal);
  emitter.i64Const(BigInt(memoryBytesMax));
  emitter.i64GtU();
  emitter.i32Or();
  emitter.openIf();
  emitter.i32Const(exits.gasOverflow);
  emitter.i32Const(exits.priceOverflow);
  emitter.i32Const(exits.outOfGas);
  isLarge();
  emitter.localGet(carryLocal);
  emitter.i64Const(BigInt(countedBytesMax));
  emitter.i64GtU();
  emitter.i32Or();
  emitter.select();
  isHigh();
  emitter.select();
  emitter.localSet(local.code);
  emitter.leaveWithCode(pc);
  emitter.closeIf();
}
