import type { Frame } from '../interpreter/frame.ts';
import { byteLength, leadingZeros, power, putWord, signed, unsigned, wordAt, wordMax } from '../interpreter/words.ts';

const one = (holds: boolean) => (holds ? 1n : 0n);
const shiftOf = (shift: bigint) => (shift >= 256n ? 256n : shift);

/** Opcodes that make one word of the words on top of the stack, the topmost first (Yellow Paper, appendix H.2). */
const functions: ReadonlyMap<number, (...words: readonly bigint[]) => bigint> = new Map<
  number,
  (a: bigint, b: bigint, c: bigint) => bigint
>([
  [0x01, (a, b) => unsigned(a + b)], // ADD
  [0x02, (a, b) => unsigned(a * b)], // MUL
  [0x03, (a, b) => unsigned(a - b)], // SUB
  [0x04, (a, b) => (b === 0n ? 0n : a / b)], // DIV
  [0x05, (a, b) => (b === 0n ? 0n : unsigned(signed(a) / signed(b)))], // SDIV
  [0x06, (a, b) => (b === 0n ? 0n : a % b)], // MOD
  [0x07, (a, b) => (b === 0n ? 0n : unsigned(signed(a) % signed(b)))], // SMOD
  [0x08, (a, b, n) => (n === 0n ? 0n : (a + b) % n)], // ADDMOD
  [0x09, (a, b, n) => (n === 0n ? 0n : (a * b) % n)], // MULMOD
  [0x0a, (base, exponent) => power(base, exponent)], // EXP
  [0x0b, (last, word) => (last >= 31n ? word : unsigned(BigInt.asIntN(8 * (Number(last) + 1), word)))], // SIGNEXTEND
  [0x10, (a, b) => one(a < b)], // LT
  [0x11, (a, b) => one(a > b)], // GT
  [0x12, (a, b) => one(signed(a) < signed(b))], // SLT
  [0x13, (a, b) => one(signed(a) > signed(b))], // SGT
  [0x14, (a, b) => one(a === b)], // EQ
  [0x15, (a) => one(a === 0n)], // ISZERO
  [0x16, (a, b) => a & b], // AND
  [0x17, (a, b) => a | b], // OR
  [0x18, (a, b) => a ^ b], // XOR
  [0x19, (a) => wordMax - a], // NOT
  [0x1a, (index, word) => (index >= 32n ? 0n : (word >> (248n - 8n * index)) & 0xffn)], // BYTE
  [0x1b, (shift, word) => (shift >= 256n ? 0n : unsigned(word << shift))], // SHL
  [0x1c, (shift, word) => (shift >= 256n ? 0n : word >> shift)], // SHR
  [0x1d, (shift, word) => unsigned(signed(word) >> shiftOf(shift))], // SAR
  [0x1e, (a) => leadingZeros(a)], // CLZ
]);

/**
 * Runs an opcode that looks no further than the frame: the plain form of execute.ts, one step at a time.
 * @param needed words that the opcode takes @param expByte gas for a byte of an exponent
 * @returns false for opcodes that need the machine @throws Halt
 */
export function runPlainOpcode(opcode: number, frame: Frame, needed: number, expByte: number): boolean {
  const combine = functions.get(opcode);
  if (combine !== undefined) {
    const words: bigint[] = [];
    for (let index = 0; index < needed; index++) words.push(frame.pop());
    if (opcode === 0x0a) frame.charge(expByte * byteLength(words[1] ?? 0n));
    frame.push(combine(...words));
    frame.pc++;
    return true;
  }
  if (opcode < 0x50 || opcode > 0x9f) return false;
  if (opcode === 0x51 || opcode === 0x52) {
    runMemoryOpcode(opcode, frame);
    return true;
  }
  return runFrameOpcode(opcode, frame);
}

/** MLOAD and MSTORE. */
function runMemoryOpcode(opcode: number, frame: Frame): void {
  const at = frame.range(frame.popNumber(), 32);
  if (opcode === 0x51) frame.push(wordAt(frame.view, at));
  else putWord(frame.view, at, frame.pop());
  frame.pc++;
}

function runFrameOpcode(opcode: number, frame: Frame): boolean {
  const { stack, sp } = frame;
  if (opcode >= 0x90) {
    const other = sp - opcode + 0x8e;
    const top = stack[sp - 1] as bigint;
    stack[sp - 1] = stack[other] as bigint;
    stack[other] = top;
  } else if (opcode >= 0x80) frame.push(stack[sp - opcode + 0x7f] as bigint);
  else if (opcode >= 0x5f) {
    frame.push(opcode === 0x5f ? 0n : frame.analysis.pushed(frame.pc));
    frame.pc += opcode - 0x5f;
  } else if (opcode === 0x50) frame.pop();
  else if (opcode === 0x58) frame.push(BigInt(frame.pc));
  else if (opcode === 0x5a) frame.push(BigInt(frame.gas));
  else if (opcode !== 0x5b) return false;
  frame.pc++;
  return true;
}
