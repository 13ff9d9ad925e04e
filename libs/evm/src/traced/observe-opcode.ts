// Fast path of tracers that need few steps: plain opcodes run in execute.ts, and only the others pass here.
// tools/bench/peers.mjs measures it (rows debug_traceTransaction). trace-frame.ts is the plain form, and engines.spec.ts of
// evm-executor compares both on random code.
import type { Frame } from '../interpreter/frame.ts';
import type { Machine } from '../interpreter/machine.ts';
import { runReported } from './run-reported.ts';
import { priceStep } from './step-price.ts';
import { TracedMachine } from './traced-machine.ts';

/**
 * Runs an opcode that `execute` leaves to the machine, and reports its step if the tracer wants it.
 * @param frame after `execute` has charged the constant price and moved to the next opcode
 * @returns whether the frame has ended @throws Halt
 */
export function observeOpcode(opcode: number, frame: Frame, machine: Machine): boolean {
  if (!(machine instanceof TracedMachine)) throw new Error('observeOpcode needs a TracedMachine.');
  const { tracer, table } = machine;
  if (tracer.onStep !== undefined && tracer.stepOpcodes?.has(opcode)) {
    const charged = table.cost[opcode] ?? 0;
    frame.pc--;
    frame.gas += charged;
    const price = priceStep(opcode, frame, machine, table);
    tracer.onStep(machine.step.at(opcode, price, frame));
    if (price.fault !== undefined) throw price.fault;
    frame.pc++;
    frame.gas -= charged;
  }
  return runReported(opcode, frame, machine);
}
