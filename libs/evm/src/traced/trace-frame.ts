import { isLog, op, opcodeName } from '@cairn/evm-compiler/opcodes';
import type { EngineStep } from '../engine-tracer.ts';
import type { Frame } from '../interpreter/frame.ts';
import type { OpcodeTable } from '../interpreter/gas.ts';
import { Halt, halts } from '../interpreter/halt.ts';
import { runHostOpcode } from '../interpreter/host-opcodes.ts';
import type { Machine } from '../interpreter/machine.ts';
import { addressFromWord } from '../state/addresses.ts';
import { runPlainOpcode } from './plain-opcodes.ts';
import { priceStep, type StepPrice } from './step-price.ts';
import { TracedMachine } from './traced-machine.ts';

/**
 * Runs a frame as `execute` does, and reports each step before it is taken.
 * @returns true at the end; false where the frame waits @throws Halt
 */
export function traceFrame(frame: Frame, machine: Machine, table: OpcodeTable): boolean {
  if (!(machine instanceof TracedMachine)) throw new Error('traceFrame needs a TracedMachine.');
  const { code } = frame.analysis;
  const { tracer } = machine;
  // Empty code has no step, not even the implicit STOP.
  if (code.length === 0) return true;
  for (;;) {
    const opcode = code[frame.pc] ?? 0;
    const price = priceStep(opcode, frame, machine, table);
    tracer.onStep?.(stepOf(opcode, price, frame, machine));
    if (price.fault !== undefined) throw price.fault;
    try {
      const ends = runStep(opcode, frame, machine, table);
      if (ends && frame.isReverted) tracer.onFault?.('execution reverted');
      if (ends || machine.isWaiting) return ends;
    } catch (error) {
      if (error instanceof Halt) tracer.onFault?.(error.reason);
      throw error;
    }
  }
}

/** @returns whether the frame has ended @throws Halt */
function runStep(opcode: number, frame: Frame, machine: TracedMachine, table: OpcodeTable): boolean {
  const cost = table.cost[opcode] ?? -1;
  if (cost < 0) throw new Halt(`invalid opcode: ${opcodeName(opcode)}`);
  frame.charge(cost);
  if (opcode === op.STOP) return true;
  if (runPlainOpcode(opcode, frame, table.pops[opcode] ?? 0, table.expByte)) return false;
  if (opcode === op.JUMP || opcode === op.JUMPI) {
    jump(opcode, frame);
    return false;
  }
  frame.pc++;
  return runOpcode(opcode, frame, machine);
}

function stepOf(opcode: number, { cost, fault, refund }: StepPrice, frame: Frame, machine: Machine): EngineStep {
  const { substate, message } = machine;
  return {
    pc: frame.pc,
    opcode,
    gas: BigInt(frame.gas),
    gasCost: cost,
    depth: frame.depth,
    refund: BigInt(substate.refund + refund),
    address: frame.address,
    world: message.world,
    returnData: frame.returnData,
    get name() {
      return opcodeName(opcode);
    },
    get stack() {
      return frame.stack.slice(0, frame.sp);
    },
    get memory() {
      return frame.memory.subarray(0, frame.memorySize);
    },
    ...(fault !== undefined && { error: fault.reason }),
  };
}

/** Runs an opcode that needs the machine, and reports its log or SELFDESTRUCT. */
function runOpcode(opcode: number, frame: Frame, machine: TracedMachine): boolean {
  const { tracer, substate, message } = machine;
  const { address } = frame;
  if (opcode === op.SELFDESTRUCT) {
    const heir = addressFromWord(BigInt.asUintN(160, frame.stack[frame.sp - 1] ?? 0n)).bytes;
    const balance = message.world.getBalance(address);
    const ends = runHostOpcode(opcode, frame, machine);
    machine.selfDestructed(address, heir, balance);
    return ends;
  }
  const ends = runHostOpcode(opcode, frame, machine);
  const log = isLog(opcode) ? substate.logs.at(-1) : undefined;
  if (log !== undefined) tracer.onLog?.(log, substate.logs.length - 1);
  return ends;
}

/** JUMP and JUMPI. */
function jump(opcode: number, frame: Frame): void {
  const word = frame.pop();
  if (opcode === op.JUMPI && frame.pop() === 0n) {
    frame.pc++;
    return;
  }
  const pc = word > 0xffff_ffffn ? -1 : Number(word);
  if (!frame.analysis.isJumpDestination(pc)) throw halts.invalidJump;
  frame.pc = pc;
}
