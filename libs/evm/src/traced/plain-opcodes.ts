import { op } from '@cairn/evm-compiler/opcodes';
import type { Frame } from '../interpreter/frame.ts';
import { byteLength, leadingZeros, power, putWord, signed, unsigned, wordAt, wordMax } from '../interpreter/words.ts';

const one = (holds: boolean) => (holds ? 1n : 0n);
const shiftOf = (shift: bigint) => (shift >= 256n ? 256n : shift);

/** Opcodes that replace the top words of the stack by one word. Operands are the top first (Yellow Paper, appendix H.2). */
const functions: ReadonlyMap<number, (...words: readonly bigint[]) => bigint> = new Map<
  number,
  (a: bigint, b: bigint, c: bigint) => bigint
>([
  [op.ADD, (a, b) => unsigned(a + b)],
  [op.MUL, (a, b) => unsigned(a * b)],
  [op.SUB, (a, b) => unsigned(a - b)],
  [op.DIV, (a, b) => (b === 0n ? 0n : a / b)],
  [op.SDIV, (a, b) => (b === 0n ? 0n : unsigned(signed(a) / signed(b)))],
  [op.MOD, (a, b) => (b === 0n ? 0n : a % b)],
  [op.SMOD, (a, b) => (b === 0n ? 0n : unsigned(signed(a) % signed(b)))],
  [op.ADDMOD, (a, b, n) => (n === 0n ? 0n : (a + b) % n)],
  [op.MULMOD, (a, b, n) => (n === 0n ? 0n : (a * b) % n)],
  [op.EXP, (base, exponent) => power(base, exponent)],
  [op.SIGNEXTEND, (last, word) => (last >= 31n ? word : unsigned(BigInt.asIntN(8 * (Number(last) + 1), word)))],
  [op.LT, (a, b) => one(a < b)],
  [op.GT, (a, b) => one(a > b)],
  [op.SLT, (a, b) => one(signed(a) < signed(b))],
  [op.SGT, (a, b) => one(signed(a) > signed(b))],
  [op.EQ, (a, b) => one(a === b)],
  [op.ISZERO, (a) => one(a === 0n)],
  [op.AND, (a, b) => a & b],
  [op.OR, (a, b) => a | b],
  [op.XOR, (a, b) => a ^ b],
  [op.NOT, (a) => wordMax - a],
  [op.BYTE, (index, word) => (index >= 32n ? 0n : (word >> (248n - 8n * index)) & 0xffn)],
  [op.SHL, (shift, word) => (shift >= 256n ? 0n : unsigned(word << shift))],
  [op.SHR, (shift, word) => (shift >= 256n ? 0n : word >> shift)],
  [op.SAR, (shift, word) => unsigned(signed(word) >> shiftOf(shift))],
  [op.CLZ, (a) => leadingZeros(a)],
]);

/**
 * Runs an opcode that needs only the frame: the plain form of execute.ts, one step at a time.
 * @param needed words that the opcode takes @param expByte gas for a byte of an exponent
 * @returns false for opcodes that need the machine @throws Halt
 */
export function runPlainOpcode(opcode: number, frame: Frame, needed: number, expByte: number): boolean {
  const combine = functions.get(opcode);
  if (combine !== undefined) {
    const words: bigint[] = [];
    for (let index = 0; index < needed; index++) words.push(frame.pop());
    if (opcode === op.EXP) frame.charge(expByte * byteLength(words[1] ?? 0n));
    frame.push(combine(...words));
    frame.pc++;
    return true;
  }
  if (opcode < op.POP || opcode > op.SWAP16) return false;
  if (opcode === op.MLOAD || opcode === op.MSTORE) {
    runMemoryOpcode(opcode, frame);
    return true;
  }
  return runFrameOpcode(opcode, frame);
}

/** MLOAD and MSTORE. */
function runMemoryOpcode(opcode: number, frame: Frame): void {
  const at = frame.range(frame.popNumber(), 32);
  if (opcode === op.MLOAD) frame.push(wordAt(frame.view, at));
  else putWord(frame.view, at, frame.pop());
  frame.pc++;
}

function runFrameOpcode(opcode: number, frame: Frame): boolean {
  const { stack, sp } = frame;
  if (opcode >= op.SWAP1) {
    const other = sp - opcode + (op.SWAP1 - 2);
    const top = stack[sp - 1] as bigint;
    stack[sp - 1] = stack[other] as bigint;
    stack[other] = top;
  } else if (opcode >= op.DUP1) frame.push(stack[sp - opcode + (op.DUP1 - 1)] as bigint);
  else if (opcode >= op.PUSH0) {
    frame.push(opcode === op.PUSH0 ? 0n : frame.analysis.pushed(frame.pc));
    frame.pc += opcode - op.PUSH0;
  } else if (opcode === op.POP) frame.pop();
  else if (opcode === op.PC) frame.push(BigInt(frame.pc));
  else if (opcode === op.GAS) frame.push(BigInt(frame.gas));
  else if (opcode !== op.JUMPDEST) return false;
  frame.pc++;
  return true;
}
