import { isLog, op } from '@cairn/evm-compiler/opcodes';
import type { Frame } from '../interpreter/frame.ts';
import { runHostOpcode } from '../interpreter/host-opcodes.ts';
import { addressFromWord } from '../state/addresses.ts';
import type { TracedMachine } from './traced-machine.ts';

/** Runs an opcode that needs the machine, and reports its log or SELFDESTRUCT. @returns whether the frame has ended @throws Halt */
export function runReported(opcode: number, frame: Frame, machine: TracedMachine): boolean {
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
