import type { VirtualStack } from './virtual-stack.ts';

const word = (value: bigint) => BigInt.asUintN(256, value);

/** What two constants come to; `undefined` for opcodes that are not folded. The first operand is the top of the stack. */
const binary: Readonly<Record<number, (one: bigint, other: bigint) => bigint>> = {
  1: (one, other) => word(one + other),
  2: (one, other) => word(one * other),
  3: (one, other) => word(one - other),
  4: (one, other) => (other === 0n ? 0n : one / other),
  16: (one, other) => (one < other ? 1n : 0n),
  17: (one, other) => (one > other ? 1n : 0n),
  20: (one, other) => (one === other ? 1n : 0n),
  22: (one, other) => one & other,
  23: (one, other) => one | other,
  24: (one, other) => one ^ other,
  27: (one, other) => (one >= 256n ? 0n : word(other << one)),
  28: (one, other) => (one >= 256n ? 0n : other >> one),
};
const unary: Readonly<Record<number, (one: bigint) => bigint>> = {
  21: (one) => (one === 0n ? 1n : 0n),
  25: (one) => word(~one),
};

/** Computes an opcode at compile time where its operands are constants. @returns whether it did */
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
