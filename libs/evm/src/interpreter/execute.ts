// Hot path: every interpreted opcode runs here. execute-call.bench.ts measures it. traced/plain-opcodes.ts is the plain form, and
// engines.spec.ts compares it with @ethereumjs/evm. The function is long, since a call per opcode costs more than most opcodes.
import { op, opcodeName } from '@cairn/evm-compiler/opcodes';
import type { Frame } from './frame.ts';
import { stackFault } from './frame.ts';
import type { OpcodeTable } from './gas.ts';
import { Halt, halts } from './halt.ts';
import { runHostOpcode } from './host-opcodes.ts';
import type { Machine } from './machine.ts';
import { byteLength, leadingZeros, power, putWord, signed, unsigned, wordAt, wordMax } from './words.ts';

/**
 * Runs a frame until it ends, or until it waits for a frame or a precompile that it has called. Frequent opcodes are here;
 * opcodes that read or write beyond the frame are in host-opcodes.ts.
 * @returns true at the end; false if the frame waits or its code should be compiled (see `compileBelow`)
 * @throws Halt, and errors of the meter
 */
export function execute(frame: Frame, machine: Machine, { cost, pops, roomUntil, expByte }: OpcodeTable): boolean {
  const { analysis, stack } = frame;
  const { code } = analysis;
  const runHost = machine.observe ?? runHostOpcode;
  let { pc, sp, gas, floor } = frame;
  for (;;) {
    const opcode = code[pc] ?? 0;
    const price = cost[opcode] as number;
    if (price < 0) throw new Halt(`invalid opcode: ${opcodeName(opcode)}`);
    if (sp < (pops[opcode] as number) || sp > (roomUntil[opcode] as number)) stackFault(sp, pops[opcode] as number);
    gas -= price;
    if (gas < floor) floor = lowered(frame, gas);
    if (opcode >= op.PUSH0 && opcode <= op.SWAP16) {
      if (opcode >= op.SWAP1) {
        const other = sp - opcode + (op.SWAP1 - 2);
        const top = stack[sp - 1] as bigint;
        stack[sp - 1] = stack[other] as bigint;
        stack[other] = top;
        pc++;
      } else if (opcode >= op.DUP1) {
        stack[sp] = stack[sp - opcode + (op.DUP1 - 1)] as bigint;
        sp++;
        pc++;
      } else {
        stack[sp++] = opcode === op.PUSH0 ? 0n : analysis.pushed(pc);
        pc += opcode - (op.PUSH0 - 1);
      }
      continue;
    }
    switch (opcode) {
      case op.STOP:
        frame.gas = gas;
        return true;
      case op.ADD:
        sp--;
        stack[sp - 1] = BigInt.asUintN(256, (stack[sp] as bigint) + (stack[sp - 1] as bigint));
        break;
      case op.MUL:
        sp--;
        stack[sp - 1] = BigInt.asUintN(256, (stack[sp] as bigint) * (stack[sp - 1] as bigint));
        break;
      case op.SUB:
        sp--;
        stack[sp - 1] = BigInt.asUintN(256, (stack[sp] as bigint) - (stack[sp - 1] as bigint));
        break;
      case op.DIV: {
        const divisor = stack[--sp - 1] as bigint;
        stack[sp - 1] = divisor === 0n ? 0n : (stack[sp] as bigint) / divisor;
        break;
      }
      case op.SDIV: {
        const divisor = signed(stack[--sp - 1] as bigint);
        stack[sp - 1] = divisor === 0n ? 0n : unsigned(signed(stack[sp] as bigint) / divisor);
        break;
      }
      case op.MOD: {
        const divisor = stack[--sp - 1] as bigint;
        stack[sp - 1] = divisor === 0n ? 0n : (stack[sp] as bigint) % divisor;
        break;
      }
      case op.SMOD: {
        const divisor = signed(stack[--sp - 1] as bigint);
        stack[sp - 1] = divisor === 0n ? 0n : unsigned(signed(stack[sp] as bigint) % divisor);
        break;
      }
      case op.ADDMOD: {
        sp -= 2;
        const divisor = stack[sp - 1] as bigint;
        stack[sp - 1] = divisor === 0n ? 0n : ((stack[sp + 1] as bigint) + (stack[sp] as bigint)) % divisor;
        break;
      }
      case op.MULMOD: {
        sp -= 2;
        const divisor = stack[sp - 1] as bigint;
        stack[sp - 1] = divisor === 0n ? 0n : ((stack[sp + 1] as bigint) * (stack[sp] as bigint)) % divisor;
        break;
      }
      case op.EXP: {
        const exponent = stack[--sp - 1] as bigint;
        gas -= expByte * byteLength(exponent);
        if (gas < floor) floor = lowered(frame, gas);
        stack[sp - 1] = power(stack[sp] as bigint, exponent);
        break;
      }
      case op.SIGNEXTEND: {
        const word = stack[--sp - 1] as bigint;
        const last = stack[sp] as bigint;
        stack[sp - 1] = last >= 31n ? word : unsigned(BigInt.asIntN(8 * (Number(last) + 1), word));
        break;
      }
      case op.LT:
        sp--;
        stack[sp - 1] = (stack[sp] as bigint) < (stack[sp - 1] as bigint) ? 1n : 0n;
        break;
      case op.GT:
        sp--;
        stack[sp - 1] = (stack[sp] as bigint) > (stack[sp - 1] as bigint) ? 1n : 0n;
        break;
      case op.SLT:
        sp--;
        stack[sp - 1] = signed(stack[sp] as bigint) < signed(stack[sp - 1] as bigint) ? 1n : 0n;
        break;
      case op.SGT:
        sp--;
        stack[sp - 1] = signed(stack[sp] as bigint) > signed(stack[sp - 1] as bigint) ? 1n : 0n;
        break;
      case op.EQ:
        sp--;
        stack[sp - 1] = stack[sp] === stack[sp - 1] ? 1n : 0n;
        break;
      case op.ISZERO:
        stack[sp - 1] = stack[sp - 1] === 0n ? 1n : 0n;
        break;
      case op.AND:
        sp--;
        stack[sp - 1] = (stack[sp] as bigint) & (stack[sp - 1] as bigint);
        break;
      case op.OR:
        sp--;
        stack[sp - 1] = (stack[sp] as bigint) | (stack[sp - 1] as bigint);
        break;
      case op.XOR:
        sp--;
        stack[sp - 1] = (stack[sp] as bigint) ^ (stack[sp - 1] as bigint);
        break;
      case op.NOT:
        stack[sp - 1] = wordMax - (stack[sp - 1] as bigint);
        break;
      case op.BYTE: {
        const index = stack[--sp] as bigint;
        stack[sp - 1] = index >= 32n ? 0n : ((stack[sp - 1] as bigint) >> (248n - 8n * index)) & 0xffn;
        break;
      }
      case op.SHL: {
        const shift = stack[--sp] as bigint;
        stack[sp - 1] = shift >= 256n ? 0n : BigInt.asUintN(256, (stack[sp - 1] as bigint) << shift);
        break;
      }
      case op.SHR: {
        const shift = stack[--sp] as bigint;
        stack[sp - 1] = shift >= 256n ? 0n : (stack[sp - 1] as bigint) >> shift;
        break;
      }
      case op.SAR: {
        const shift = stack[--sp] as bigint;
        stack[sp - 1] = unsigned(signed(stack[sp - 1] as bigint) >> (shift >= 256n ? 256n : shift));
        break;
      }
      case op.CLZ:
        stack[sp - 1] = leadingZeros(stack[sp - 1] as bigint);
        break;
      case op.POP:
        sp--;
        break;
      case op.MLOAD: {
        frame.gas = gas;
        const at = frame.range(Number(stack[sp - 1] as bigint), 32);
        gas = frame.gas;
        stack[sp - 1] = wordAt(frame.view, at);
        break;
      }
      case op.MSTORE: {
        frame.gas = gas;
        const at = frame.range(Number(stack[--sp] as bigint), 32);
        gas = frame.gas;
        putWord(frame.view, at, stack[--sp] as bigint);
        break;
      }
      case op.JUMP: {
        pc = destination(frame, stack[--sp] as bigint);
        if (gas < frame.compileBelow) return leaveFor(frame, pc, sp, gas);
        continue;
      }
      case op.JUMPI: {
        sp -= 2;
        if (stack[sp] === 0n) break;
        pc = destination(frame, stack[sp + 1] as bigint);
        if (gas < frame.compileBelow) return leaveFor(frame, pc, sp, gas);
        continue;
      }
      case op.PC:
        stack[sp++] = BigInt(pc);
        break;
      case op.GAS:
        stack[sp++] = BigInt(gas);
        break;
      case op.JUMPDEST:
        break;
      default: {
        frame.pc = pc + 1;
        frame.sp = sp;
        frame.gas = gas;
        const ends = runHost(opcode, frame, machine);
        if (ends || machine.isWaiting) return ends;
        ({ sp, gas, floor } = frame);
      }
    }
    pc++;
  }
}

/** Lets the meter check the remaining gas, and returns the new floor. */
function lowered(frame: Frame, gas: number): number {
  frame.gas = gas;
  frame.spent();
  return frame.floor;
}

/** Stops at a JUMPDEST, where compiled code resumes. */
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
