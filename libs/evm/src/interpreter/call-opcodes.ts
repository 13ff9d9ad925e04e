import { op } from '@cairn/evm-compiler/opcodes';
import type { Frame } from './frame.ts';
import { gas, initCodeBytesMax } from './gas.ts';
import { Halt, halts } from './halt.ts';
import type { Machine } from './machine.ts';
import type { Callee } from './machine-types.ts';

/** Gas is counted in 64 bits. */
const gasEnd = 2 ** 64;
/** All but a 64th of the remaining gas (EIP-150). */
const allButOne64th = (left: number) => left - Math.floor(left / 64);

/** CALL, CALLCODE, DELEGATECALL and STATICCALL. The frame waits if the callee has code. @throws Halt */
export function callOpcode(opcode: number, frame: Frame, machine: Machine): void {
  const asked = frame.popNumber();
  const target = frame.popAddress();
  const hasValue = opcode === op.CALL || opcode === op.CALLCODE;
  const value = hasValue ? frame.pop() : 0n;
  const inputAt = frame.popNumber();
  const inputLength = frame.popNumber();
  const outputAt = frame.popNumber();
  const outputLength = frame.popNumber();
  const targetBytes = target.bytes;
  const { rules } = machine.message;
  let input = 0;
  let output = 0;
  let callee: Callee;
  let isSplit = false;
  try {
    machine.chargeAccess(frame, target);
    if (opcode === op.CALL && frame.isStatic && value > 0n) throw halts.pricedWriteProtection;
    // Before Prague, geth computes the price of CALL in a function of its own that does not include all parts.
    isSplit = !rules.isPrague && opcode !== op.CALL;
    input = frame.range(inputAt, inputLength);
    output = frame.range(outputAt, outputLength);
    if (value > 0n) frame.charge(gas.callValue);
    isSplit = !rules.isPrague;
    if (opcode === op.CALL && machine.isNew(targetBytes, value)) frame.charge(gas.newAccount);
    callee = machine.callee(targetBytes, frame);
  } catch (thrown) {
    throw thrown === halts.outOfGas && !isSplit ? halts.pricedOutOfGas : thrown;
  }
  const given = rules.isTangerineWhistle ? Math.min(asked, allButOne64th(frame.gas)) : asked;
  if (given > frame.gas) throw given < gasEnd ? halts.outOfGas : halts.pricedOverflow;
  // Moved, not charged: the meter counts it when the called frame uses it.
  frame.gas -= given;
  frame.outputAt = output;
  frame.outputLength = outputLength;
  const isDelegate = opcode === op.DELEGATECALL;
  machine.call(frame, {
    opcode,
    target: targetBytes,
    callee,
    address: opcode === op.CALL || opcode === op.STATICCALL ? targetBytes : frame.address,
    caller: isDelegate ? frame.caller : frame.address,
    value: isDelegate ? frame.value : value,
    /** Only CALL moves the value: CALLCODE would move it from the account to itself. */
    moves: opcode === op.CALL,
    mustHave: hasValue ? value : 0n,
    touches: opcode === op.CALL || opcode === op.STATICCALL,
    data: frame.copyInput(input, inputLength),
    gas: given + (value > 0n ? gas.callStipend : 0),
    isStatic: frame.isStatic || opcode === op.STATICCALL,
  });
}

/** CREATE and CREATE2 (EIP-1014). @throws Halt */
export function createOpcode(opcode: number, frame: Frame, machine: Machine): void {
  if (frame.isStatic) throw halts.pricedWriteProtection;
  const value = frame.pop();
  const at = frame.popNumber();
  const length = frame.popNumber();
  const salt = opcode === op.CREATE2 ? frame.pop() : undefined;
  const start = frame.range(at, length);
  const words = Math.ceil(length / 32);
  if (machine.message.rules.isShanghai) {
    if (length > initCodeBytesMax)
      throw new Halt(`out of gas: max initcode size exceeded: code size ${length} limit ${initCodeBytesMax}`);
    frame.charge(gas.initCodeWord * words);
  }
  if (salt !== undefined) frame.charge(gas.keccakWord * words);
  const given = machine.message.rules.isTangerineWhistle ? allButOne64th(frame.gas) : frame.gas;
  frame.gas -= given;
  const code = frame.copyMemory(start, length);
  machine.create(frame, { code, value, gas: given, salt });
}
