import { type CompileKind, type OpcodeFigures, op, opcodeAt } from './opcodes/index.ts';

/** A basic block: code that is entered at its start only and left at its end only. */
export interface Block {
  readonly start: number;
  /** One past its last opcode. */
  readonly end: number;
  /** Gas of all its opcodes. */
  readonly cost: number;
  /** Words that must be on the stack, and the most words that the block adds to it. */
  readonly needed: number;
  readonly growth: number;
}

export interface Blocks {
  readonly list: readonly Block[];
  /** Index of the block that starts at a code offset, else -1. The end of the code counts as a block, which adds one entry. */
  readonly at: Int32Array;
  readonly destinations: Uint8Array;
}

/** Opcodes in one block at most. Bounds its virtual stack and locals. */
const opcodesMax = 400;

const kinds: readonly CompileKind[] = Array.from({ length: 256 }, (_, code) => opcodeAt(code)?.compile ?? 'host');

/** Kind of an opcode. Codes that no fork has count as `host`; they are left to the interpreter. */
export function compileKind(opcode: number): CompileKind {
  return kinds[opcode] ?? 'host';
}

/** Length of the constant of a PUSH in bytes; 0 for other opcodes. */
export function pushedBytes(opcode: number): number {
  return opcode >= op.PUSH1 && opcode <= op.PUSH32 ? opcode - op.PUSH0 : 0;
}

/** Cuts a code into basic blocks, in one pass. */
export function findBlocks(code: Uint8Array, figures: OpcodeFigures): Blocks {
  const at = new Int32Array(code.length + 1).fill(-1);
  const destinations = new Uint8Array(code.length);
  const list: Block[] = [];
  let pc = 0;
  while (pc < code.length) {
    const start = pc;
    let cost = 0;
    let depth = 0;
    let needed = 0;
    let growth = 0;
    let count = 0;
    for (;;) {
      const opcode = code[pc] as number;
      if (opcode === op.JUMPDEST && pc !== start) break;
      const price = figures.cost[opcode] as number;
      // An opcode that the fork does not have is a block of its own, so that the code before it has run when it fails.
      if (price < 0 && pc !== start) break;
      if (opcode === op.JUMPDEST) destinations[pc] = 1;
      cost += Math.max(0, price);
      // For DUP and SWAP, `pops` is how deep they reach.
      needed = Math.max(needed, (figures.pops[opcode] as number) - depth);
      depth += (figures.pushes[opcode] as number) - (figures.pops[opcode] as number);
      growth = Math.max(growth, depth);
      pc += 1 + pushedBytes(opcode);
      count++;
      if (compileKind(opcode) !== 'inline' || count === opcodesMax || price < 0 || pc >= code.length) break;
    }
    at[start] = list.length;
    list.push({ start, end: Math.min(pc, code.length), cost, needed, growth });
  }
  at[code.length] = list.length;
  list.push({ start: code.length, end: code.length, cost: 0, needed: 0, growth: 0 });
  return { list, at, destinations };
}
