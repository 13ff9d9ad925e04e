import { op } from './opcodes/index.ts';
import type { VirtualStack } from './virtual-stack.ts';

const word = (value: bigint) => BigInt.asUintN(256, value);

/** Results for two constants, by opcode. The first operand is the top of the stack. */
const binary: Readonly<Record<number, (one: bigint, other: bigint) => bigint>> = {
  [op.ADD]: (one, other) => word(one + other),
  [op.MUL]: (one, other) => word(one * other),
  [op.SUB]: (one, other) => word(one - other),
  [op.DIV]: (one, other) => (other === 0n ? 0n : one / other),
  [op.LT]: (one, other) => (one < other ? 1n : 0n),
  [op.GT]: (one, other) => (one > other ? 1n : 0n),
  [op.EQ]: (one, other) => (one === other ? 1n : 0n),
  [op.AND]: (one, other) => one & other,
  [op.OR]: (one, other) => one | other,
  [op.XOR]: (one, other) => one ^ other,
  [op.SHL]: (one, other) => (one >= 256n ? 0n : word(other << one)),
  [op.SHR]: (one, other) => (one >= 256n ? 0n : other >> one),
};
const unary: Readonly<Record<number, (one: bigint) => bigint>> = {
  [op.ISZERO]: (one) => (one === 0n ? 1n : 0n),
  [op.NOT]: (one) => word(~one),
};

/** Computes an opcode at compile time if its operands are constants. @returns whether they were */
export function fold(opcode: number, stack: VirtualStack): boolean {
  const two = binary[opcode];
  if (two !== undefined) {
    const [one, other] = stack.constants(2);
    if (one === undefined || other === undefined) return false;
    stack.pop();
    stack.pop();
    stack.push({ kind: 'constant', value: two(one, other) });
    return true;
  }
  const alone = unary[opcode];
  const [one] = alone === undefined ? [] : stack.constants(1);
  if (alone === undefined || one === undefined) return false;
  stack.pop();
  stack.push({ kind: 'constant', value: alone(one) });
  return true;
}
