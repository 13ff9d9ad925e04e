import { bitwise, compare, equal, exponentiate, helper, leadingZeros, shift } from './arithmetic-opcodes.ts';
import { gasLocal, local } from './emitter.ts';
import { fold } from './fold.ts';
import { header, region } from './layout.ts';
import { hashMemory, readMemoryWord, writeMemoryByte, writeMemoryWord } from './memory-opcodes.ts';
import type { Place } from './place.ts';
import type { Item } from './virtual-stack.ts';
import { readReversed } from './words-in-memory.ts';

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
      helper('sdiv', place);
      break;
    case 0x06:
      helper('mod', place);
      break;
    case 0x07:
      helper('smod', place);
      break;
    case 0x08:
      helper('addmod', place, 3);
      break;
    case 0x09:
      helper('mulmod', place, 3);
      break;
    case 0x0a:
      exponentiate(place);
      break;
    case 0x0b:
      helper('signextend', place);
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
      helper('byte', place);
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
  stack.highLimbs(offset);
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
