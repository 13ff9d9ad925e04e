import { type CompileKind, type OpcodeFigures, op, opcodeAt } from './opcodes/index.ts';

/** A piece of code that runs as a whole: entered at its beginning only, left at its end only. */
export interface Block {
  readonly start: number;
  /** One past its last opcode. */
  readonly end: number;
  /** Gas of all its opcodes. */
  readonly cost: number;
  /** Items that must be on the stack, and how many more there may be at one time. */
  readonly needed: number;
  readonly growth: number;
}

export interface Blocks {
  readonly list: readonly Block[];
  /** By place: the number of the block that begins there, else -1. One more than the code is long: its end is a block too. */
  readonly at: Int32Array;
  readonly destinations: Uint8Array;
}

/** Opcodes in one block: its virtual stack and locals are bounded by it. */
const opcodesMax = 400;

const kinds: readonly CompileKind[] = Array.from({ length: 256 }, (_, code) => opcodeAt(code)?.compile ?? 'host');

/** How an opcode is compiled. Codes that no fork has count as `host`; blocks never contain them. */
export function compileKind(opcode: number): CompileKind {
  return kinds[opcode] ?? 'host';
}

/** Bytes of the constant behind a PUSH; 0 for other opcodes. */
export function pushedBytes(opcode: number): number {
  return opcode >= op.PUSH1 && opcode <= op.PUSH32 ? opcode - op.PUSH0 : 0;
}

/** Cuts a code into its blocks, in one pass. */
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
      // It stands alone, so that what is before it has run when the interpreter meets it.
      if (price < 0 && pc !== start) break;
      if (opcode === op.JUMPDEST) destinations[pc] = 1;
      cost += Math.max(0, price);
      // A DUP or SWAP reaches as deep as what it is said to take.
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
