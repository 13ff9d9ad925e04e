import { type OpcodeFork, opcodeForks } from './forks.ts';
import { type Opcode, opcodes, reservedNames } from './opcode-table.ts';

/** Gas and arity of the opcodes of one fork, in arrays indexed by code. */
export interface OpcodeFigures {
  /** Gas before the part that depends on operands; -1 where the fork has no such opcode. */
  readonly cost: ArrayLike<number>;
  readonly pops: ArrayLike<number>;
  readonly pushes: ArrayLike<number>;
  /** Gas of EXP for each byte of the exponent (EIP-160). */
  readonly expByte: number;
}

const codeCount = 256;
const byCode: readonly (Opcode | undefined)[] = indexed();
const names = new Map([...reservedNames, ...opcodes.map(({ code, name }) => [code, name] as const)]);

function indexed(): (Opcode | undefined)[] {
  const found = new Array<Opcode | undefined>(codeCount).fill(undefined);
  for (const opcode of opcodes) found[opcode.code] = opcode;
  return found;
}

/** The row of an opcode; `undefined` for codes that no fork has. */
export function opcodeAt(code: number): Opcode | undefined {
  return byCode[code];
}

/** Name of an opcode as geth shows it in traces and errors. */
export function opcodeName(code: number): string {
  return names.get(code) ?? `opcode 0x${code.toString(16)} not defined`;
}

/** Reports whether a fork includes the changes of another fork. */
export function includesFork(fork: OpcodeFork, other: OpcodeFork): boolean {
  return opcodeForks.indexOf(fork) >= opcodeForks.indexOf(other);
}

/** Gas of an opcode in a fork, before the part that depends on operands; -1 where the fork has no such opcode. */
export function constantGas({ gas, since }: Opcode, fork: OpcodeFork): number {
  if (!includesFork(fork, since)) return -1;
  if (typeof gas === 'number') return gas;
  let price = -1;
  for (const each of opcodeForks) {
    price = gas[each] ?? price;
    if (each === fork) break;
  }
  return price;
}

/** Returns gas and arity of the opcodes of a fork, for the interpreter and the compiler. */
export function opcodeFigures(fork: OpcodeFork): OpcodeFigures & {
  readonly cost: Int32Array;
  readonly pops: Uint8Array;
  readonly pushes: Uint8Array;
} {
  const cost = new Int32Array(codeCount).fill(-1);
  const pops = new Uint8Array(codeCount);
  const pushes = new Uint8Array(codeCount);
  for (const opcode of opcodes) {
    const { code } = opcode;
    cost[code] = constantGas(opcode, fork);
    pops[code] = opcode.pops;
    pushes[code] = opcode.pushes;
  }
  return { cost, pops, pushes, expByte: includesFork(fork, 'spuriousDragon') ? 50 : 10 };
}
