/** What opcodes of one fork take, give and cost. */
export interface OpcodeFigures {
  /** Gas before what depends on operands; -1 where the fork has no such opcode. */
  readonly cost: ArrayLike<number>;
  readonly takes: ArrayLike<number>;
  readonly gives: ArrayLike<number>;
  /** Gas of EXP for each byte of the exponent (EIP-160). */
  readonly expByte: number;
}

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

/** What the compiler does itself and does not end a block with. All else that is not here ends one. */
const straight = new Set<number>();
for (let opcode = 0x01; opcode <= 0x0b; opcode++) straight.add(opcode);
for (let opcode = 0x10; opcode <= 0x1e; opcode++) straight.add(opcode);
for (const opcode of [0x20, 0x30, 0x33, 0x34, 0x35, 0x36, 0x38, 0x3d, 0x50, 0x51, 0x52, 0x53, 0x58, 0x59, 0x5b])
  straight.add(opcode);
for (let opcode = 0x5f; opcode <= 0x9f; opcode++) straight.add(opcode);

/** Opcodes that the host runs, at the end of a block. */
export function isOfHost(opcode: number): boolean {
  return !straight.has(opcode) && ![0x00, 0x56, 0x57, 0x5a].includes(opcode);
}

/** Those of the host's opcodes that end the frame, or have it wait for another one: the code is left there. */
const leaving = new Set([0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xfa, 0xfd, 0xff]);

/** Opcodes of the host that are asked for in between: the code goes on behind them. */
export function isAsked(opcode: number): boolean {
  return isOfHost(opcode) && !leaving.has(opcode);
}

export function pushedBytes(opcode: number): number {
  return opcode >= 0x60 && opcode <= 0x7f ? opcode - 0x5f : 0;
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
      if (opcode === 0x5b && pc !== start) break;
      const price = figures.cost[opcode] as number;
      // It stands alone, so that what is before it has run when the interpreter meets it.
      if (price < 0 && pc !== start) break;
      if (opcode === 0x5b) destinations[pc] = 1;
      cost += Math.max(0, price);
      // A DUP or SWAP reaches as deep as what it is said to take.
      needed = Math.max(needed, (figures.takes[opcode] as number) - depth);
      depth += (figures.gives[opcode] as number) - (figures.takes[opcode] as number);
      growth = Math.max(growth, depth);
      pc += 1 + pushedBytes(opcode);
      count++;
      if (!straight.has(opcode) || count === opcodesMax || price < 0 || pc >= code.length) break;
    }
    at[start] = list.length;
    list.push({ start, end: Math.min(pc, code.length), cost, needed, growth });
  }
  at[code.length] = list.length;
  list.push({ start: code.length, end: code.length, cost: 0, needed: 0, growth: 0 });
  return { list, at, destinations };
}
