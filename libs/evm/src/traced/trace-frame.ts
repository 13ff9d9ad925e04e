import { op, opcodeName } from '@cairn/evm-compiler/opcodes';
import type { Frame } from '../interpreter/frame.ts';
import type { OpcodeTable } from '../interpreter/gas.ts';
import { Halt, halts } from '../interpreter/halt.ts';
import type { Machine } from '../interpreter/machine.ts';
import { runPlainOpcode } from './plain-opcodes.ts';
import { runReported } from './run-reported.ts';
import { priceStep } from './step-price.ts';
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
    if (tracer.onStep !== undefined) tracer.onStep(machine.step.at(opcode, price, frame));
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
  return runReported(opcode, frame, machine);
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
