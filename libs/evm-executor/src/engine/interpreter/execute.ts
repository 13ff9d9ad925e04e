// Every opcode passes here, so its plain form gave way to speed: execute-call.bench.ts measures it beside @ethereumjs/evm,
// which is its oracle in engines.spec.ts.
import { opcodeName } from '../opcode-names.ts';
import type { Frame } from './frame.ts';
import { stackFault } from './frame.ts';
import type { OpcodeTable } from './gas.ts';
import { Halt, halts } from './halt.ts';
import { runHostOpcode } from './host-opcodes.ts';
import type { Machine } from './machine.ts';
import { byteLength, leadingZeros, power, putWord, signed, unsigned, wordAt, wordMax } from './words.ts';

/**
 * Runs a frame until it ends, or until it waits for a frame or a precompile that it has called. The opcodes that make up
 * most of any code are here; those that look beyond the frame are in host-opcodes.ts.
 * @returns true at the end; false where it waits, and where the code is worth compiling: see `compileBelow` @throws Halt, and what the meter throws
 */
export function execute(frame: Frame, machine: Machine, { cost, needed, roomUntil, expByte }: OpcodeTable): boolean {
  const { analysis, stack } = frame;
  const { code } = analysis;
  let { pc, sp, gas, floor } = frame;
  for (;;) {
    const opcode = code[pc] ?? 0;
    const price = cost[opcode] as number;
    if (price < 0) throw new Halt(`invalid opcode: ${opcodeName(opcode)}`);
    if (sp < (needed[opcode] as number) || sp > (roomUntil[opcode] as number)) stackFault(sp, needed[opcode] as number);
    gas -= price;
    if (gas < floor) floor = lowered(frame, gas);
    if (opcode >= 0x5f && opcode <= 0x9f) {
      if (opcode >= 0x90) {
        const other = sp - opcode + 0x8e;
        const top = stack[sp - 1] as bigint;
        stack[sp - 1] = stack[other] as bigint;
        stack[other] = top;
        pc++;
      } else if (opcode >= 0x80) {
        stack[sp] = stack[sp - opcode + 0x7f] as bigint;
        sp++;
        pc++;
      } else {
        stack[sp++] = opcode === 0x5f ? 0n : analysis.pushed(pc);
        pc += opcode - 0x5e;
      }
      continue;
    }
    switch (opcode) {
      case 0x00: // STOP
        frame.gas = gas;
        return true;
      case 0x01: // ADD
        sp--;
        stack[sp - 1] = BigInt.asUintN(256, (stack[sp] as bigint) + (stack[sp - 1] as bigint));
        break;
      case 0x02: // MUL
        sp--;
        stack[sp - 1] = BigInt.asUintN(256, (stack[sp] as bigint) * (stack[sp - 1] as bigint));
        break;
      case 0x03: // SUB
        sp--;
        stack[sp - 1] = BigInt.asUintN(256, (stack[sp] as bigint) - (stack[sp - 1] as bigint));
        break;
      case 0x04: {
        // DIV
        const divisor = stack[--sp - 1] as bigint;
        stack[sp - 1] = divisor === 0n ? 0n : (stack[sp] as bigint) / divisor;
        break;
      }
      case 0x05: {
        // SDIV
        const divisor = signed(stack[--sp - 1] as bigint);
        stack[sp - 1] = divisor === 0n ? 0n : unsigned(signed(stack[sp] as bigint) / divisor);
        break;
      }
      case 0x06: {
        // MOD
        const divisor = stack[--sp - 1] as bigint;
        stack[sp - 1] = divisor === 0n ? 0n : (stack[sp] as bigint) % divisor;
        break;
      }
      case 0x07: {
        // SMOD
        const divisor = signed(stack[--sp - 1] as bigint);
        stack[sp - 1] = divisor === 0n ? 0n : unsigned(signed(stack[sp] as bigint) % divisor);
        break;
      }
      case 0x08: {
        // ADDMOD
        sp -= 2;
        const divisor = stack[sp - 1] as bigint;
        stack[sp - 1] = divisor === 0n ? 0n : ((stack[sp + 1] as bigint) + (stack[sp] as bigint)) % divisor;
        break;
      }
      case 0x09: {
        // MULMOD
        sp -= 2;
        const divisor = stack[sp - 1] as bigint;
        stack[sp - 1] = divisor === 0n ? 0n : ((stack[sp + 1] as bigint) * (stack[sp] as bigint)) % divisor;
        break;
      }
      case 0x0a: {
        // EXP
        const exponent = stack[--sp - 1] as bigint;
        gas -= expByte * byteLength(exponent);
        if (gas < floor) floor = lowered(frame, gas);
        stack[sp - 1] = power(stack[sp] as bigint, exponent);
        break;
      }
      case 0x0b: {
        // SIGNEXTEND
        const word = stack[--sp - 1] as bigint;
        const last = stack[sp] as bigint;
        stack[sp - 1] = last >= 31n ? word : unsigned(BigInt.asIntN(8 * (Number(last) + 1), word));
        break;
      }
      case 0x10: // LT
        sp--;
        stack[sp - 1] = (stack[sp] as bigint) < (stack[sp - 1] as bigint) ? 1n : 0n;
        break;
      case 0x11: // GT
        sp--;
        stack[sp - 1] = (stack[sp] as bigint) > (stack[sp - 1] as bigint) ? 1n : 0n;
        break;
      case 0x12: // SLT
        sp--;
        stack[sp - 1] = signed(stack[sp] as bigint) < signed(stack[sp - 1] as bigint) ? 1n : 0n;
        break;
      case 0x13: // SGT
        sp--;
        stack[sp - 1] = signed(stack[sp] as bigint) > signed(stack[sp - 1] as bigint) ? 1n : 0n;
        break;
      case 0x14: // EQ
        sp--;
        stack[sp - 1] = stack[sp] === stack[sp - 1] ? 1n : 0n;
        break;
      case 0x15: // ISZERO
        stack[sp - 1] = stack[sp - 1] === 0n ? 1n : 0n;
        break;
      case 0x16: // AND
        sp--;
        stack[sp - 1] = (stack[sp] as bigint) & (stack[sp - 1] as bigint);
        break;
      case 0x17: // OR
        sp--;
        stack[sp - 1] = (stack[sp] as bigint) | (stack[sp - 1] as bigint);
        break;
      case 0x18: // XOR
        sp--;
        stack[sp - 1] = (stack[sp] as bigint) ^ (stack[sp - 1] as bigint);
        break;
      case 0x19: // NOT
        stack[sp - 1] = wordMax - (stack[sp - 1] as bigint);
        break;
      case 0x1a: {
        // BYTE
        const index = stack[--sp] as bigint;
        stack[sp - 1] = index >= 32n ? 0n : ((stack[sp - 1] as bigint) >> (248n - 8n * index)) & 0xffn;
        break;
      }
      case 0x1b: {
        // SHL
        const shift = stack[--sp] as bigint;
        stack[sp - 1] = shift >= 256n ? 0n : BigInt.asUintN(256, (stack[sp - 1] as bigint) << shift);
        break;
      }
      case 0x1c: {
        // SHR
        const shift = stack[--sp] as bigint;
        stack[sp - 1] = shift >= 256n ? 0n : (stack[sp - 1] as bigint) >> shift;
        break;
      }
      case 0x1d: {
        // SAR
        const shift = stack[--sp] as bigint;
        stack[sp - 1] = unsigned(signed(stack[sp - 1] as bigint) >> (shift >= 256n ? 256n : shift));
        break;
      }
      case 0x1e: // CLZ
        stack[sp - 1] = leadingZeros(stack[sp - 1] as bigint);
        break;
      case 0x50: // POP
        sp--;
        break;
      case 0x51: {
        // MLOAD
        frame.gas = gas;
        const at = frame.range(Number(stack[sp - 1] as bigint), 32);
        gas = frame.gas;
        stack[sp - 1] = wordAt(frame.view, at);
        break;
      }
      case 0x52: {
        // MSTORE
        frame.gas = gas;
        const at = frame.range(Number(stack[--sp] as bigint), 32);
        gas = frame.gas;
        putWord(frame.view, at, stack[--sp] as bigint);
        break;
      }
      case 0x56: {
        // JUMP
        pc = destination(frame, stack[--sp] as bigint);
        if (gas < frame.compileBelow) return leaveFor(frame, pc, sp, gas);
        continue;
      }
      case 0x57: {
        // JUMPI
        sp -= 2;
        if (stack[sp] === 0n) break;
        pc = destination(frame, stack[sp + 1] as bigint);
        if (gas < frame.compileBelow) return leaveFor(frame, pc, sp, gas);
        continue;
      }
      case 0x58: // PC
        stack[sp++] = BigInt(pc);
        break;
      case 0x5a: // GAS
        stack[sp++] = BigInt(gas);
        break;
      case 0x5b: // JUMPDEST
        break;
      default: {
        frame.pc = pc + 1;
        frame.sp = sp;
        frame.gas = gas;
        const ends = runHostOpcode(opcode, frame, machine);
        if (ends || machine.isWaiting) return ends;
        ({ sp, gas, floor } = frame);
      }
    }
    pc++;
  }
}

/** The floor that the meter gives instead. */
function lowered(frame: Frame, gas: number): number {
  frame.gas = gas;
  frame.spent();
  return frame.floor;
}

/** Stops at a JUMPDEST, for something faster to go on there. */
function leaveFor(frame: Frame, pc: number, sp: number, gas: number): false {
  frame.pc = pc;
  frame.sp = sp;
  frame.gas = gas;
  return false;
}

function destination({ analysis }: Frame, word: bigint): number {
  const pc = word > 0xffff_ffffn ? -1 : Number(word);
  if (!analysis.isJumpDestination(pc)) throw halts.invalidJump;
  return pc;
}
