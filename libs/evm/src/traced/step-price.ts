// geth's order of checks and charges before a step (core/vm/interpreter.go, gas_table.go, operations_acl.go): its traces
// show the price at the failed check, and the message of that check.

import { op } from '@cairn/evm-compiler/opcodes';
import type { Frame } from '../interpreter/frame.ts';
import { stackFault } from '../interpreter/frame.ts';
import type { OpcodeTable } from '../interpreter/gas.ts';
import { Halt, halts } from '../interpreter/halt.ts';
import type { Machine } from '../interpreter/machine.ts';
import { dynamicPrice } from './dynamic-price.ts';
import { memoryEnd } from './memory-end.ts';

/** Price of a step, and the fault if it cannot begin. */
export interface StepPrice {
  readonly cost: bigint;
  readonly fault?: Halt;
  /** Change of the refund counter. geth applies it before it reports the step. */
  readonly refund: number;
}

/** Opcodes whose whole price is dynamic in geth. */
const dynamicOnly: ReadonlySet<number> = new Set<number>([
  op.EXP,
  op.SSTORE,
  op.LOG0,
  op.LOG1,
  op.LOG2,
  op.LOG3,
  op.LOG4,
  op.RETURN,
  op.REVERT,
]);

/** Constant part of a price. */
function constantPrice(opcode: number, { cost }: OpcodeTable, { message: { rules } }: Machine): number {
  if (dynamicOnly.has(opcode) || (opcode === op.SELFDESTRUCT && !rules.isBerlin)) return 0;
  return Math.max(0, cost[opcode] ?? 0);
}

/** Price of the next step of a frame. */
export function priceStep(opcode: number, frame: Frame, machine: Machine, table: OpcodeTable): StepPrice {
  const { sp } = frame;
  const constant = constantPrice(opcode, table, machine);
  const cost = BigInt(constant);
  // An opcode that the fork does not have costs nothing and fails when it runs.
  if ((table.cost[opcode] ?? -1) < 0) return { cost: 0n, refund: 0 };
  const needed = table.pops[opcode] ?? 0;
  if (sp < needed || sp > (table.roomUntil[opcode] ?? 0)) return { cost, refund: 0, fault: faultOf(sp, needed) };
  if (frame.gas < constant) return { cost, refund: 0, fault: halts.outOfGas };
  const end = memoryEnd(opcode, frame);
  if (end === undefined) return { cost, refund: 0, fault: halts.gasOverflow };
  try {
    const price = dynamicPrice(opcode, { frame, machine, table, left: BigInt(frame.gas - constant), memoryEnd: end });
    if (price === undefined) return { cost, refund: 0 };
    const whole = BigInt.asUintN(64, cost + price.gas);
    const isPayable = price.gas <= BigInt(frame.gas - constant);
    return { cost: whole, refund: price.refund ?? 0, ...(!isPayable && { fault: halts.outOfGas }) };
  } catch (error) {
    if (!(error instanceof Halt)) throw error;
    return { cost, refund: 0, fault: new Halt(`${halts.outOfGas.reason}: ${error.reason}`) };
  }
}

function faultOf(sp: number, needed: number): Halt {
  try {
    return stackFault(sp, needed);
  } catch (error) {
    if (error instanceof Halt) return error;
    throw error;
  }
}
