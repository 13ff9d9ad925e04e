import { compile } from './compile.ts';
import { arena, header, region } from './layout.ts';
import { Runtime } from './runtime.ts';

const shapes: readonly (readonly [number, number, number, number])[] = [
  [0x00, 0x00, 0, 0],
  [0x01, 0x07, 2, 1],
  [0x08, 0x09, 3, 1],
  [0x0a, 0x0b, 2, 1],
  [0x10, 0x14, 2, 1],
  [0x15, 0x15, 1, 1],
  [0x16, 0x18, 2, 1],
  [0x19, 0x19, 1, 1],
  [0x1a, 0x1d, 2, 1],
  [0x1e, 0x1e, 1, 1],
  [0x20, 0x20, 2, 1],
  [0x30, 0x30, 0, 1],
  [0x33, 0x34, 0, 1],
  [0x35, 0x35, 1, 1],
  [0x36, 0x36, 0, 1],
  [0x38, 0x38, 0, 1],
  [0x50, 0x50, 1, 0],
  [0x51, 0x51, 1, 1],
  [0x52, 0x53, 2, 0],
  [0x54, 0x54, 1, 1],
  [0x56, 0x56, 1, 0],
  [0x57, 0x57, 2, 0],
  [0x58, 0x5a, 0, 1],
  [0x5b, 0x5b, 0, 0],
  [0x5f, 0x7f, 0, 1],
  [0xf3, 0xf3, 2, 0],
];

function makeFigures() {
  const cost = new Int32Array(256).fill(-1);
  const takes = new Uint8Array(256);
  const gives = new Uint8Array(256);
  for (const [first, last, taken, given] of shapes) {
    for (let opcode = first; opcode <= last; opcode++) {
      cost[opcode] = 1;
      takes[opcode] = taken;
      gives[opcode] = given;
    }
  }
  for (let n = 1; n <= 16; n++) {
    cost[0x7f + n] = cost[0x8f + n] = 1;
    takes[0x7f + n] = n;
    gives[0x7f + n] = n + 1;
    takes[0x8f + n] = gives[0x8f + n] = n + 1;
  }
  return { cost, takes, gives, expByte: 50 };
}

/** What the host of the tests throws for. */
export const refusedWord = 99n;

/** Figures of Osaka for what the tests use: cost 1 for each opcode, so that gas counts opcodes. */
export const figures = makeFigures();

/** The host of the tests: what it is asked for gives back the word that is on the top of the stack, plus one, for ten gas. */
const runtime = new Runtime(() => {
  const { buffer } = runtime.memory;
  const doubles = new Float64Array(buffer);
  const limbs = new BigUint64Array(buffer);
  const top = (new Int32Array(buffer)[header.stackTop / 4] as number) / 8 - 4;
  if (limbs[top] === refusedWord) throw new Error('The host refuses.');
  limbs[top] = (limbs[top] as bigint) + 1n;
  doubles[header.gas / 8] = (doubles[header.gas / 8] as number) - 10;
});

/** Compiles a code and runs it from its beginning, with so much gas and such input. */
export function runCode(code: Uint8Array, { gas = 1_000_000, data = new Uint8Array() } = {}) {
  const compiled = compile(code, figures);
  if (compiled === undefined) throw new Error('The code is not compiled.');
  const { buffer } = runtime.memory;
  const bytes = new Uint8Array(buffer);
  const integers = new Int32Array(buffer);
  const doubles = new Float64Array(buffer);
  const dataAt = arena + region.data;
  const memoryAt = (dataAt + data.length + 63) & ~31;
  bytes.fill(0, arena, memoryAt);
  bytes.set(data, dataAt);
  doubles[header.gas / 8] = gas;
  doubles[header.floor / 8] = 0;
  doubles[header.least / 8] = 0;
  integers[header.base / 4] = arena;
  integers[header.stackTop / 4] = arena + region.stack;
  integers[header.memoryBase / 4] = memoryAt;
  integers[header.memorySize / 4] = 0;
  integers[header.dataBase / 4] = dataAt;
  integers[header.dataSize / 4] = data.length;
  const exit = runtime.instantiate(compiled)(compiled.entries[0] as number);
  const after = runtime.memory.buffer;
  const limbs = new BigUint64Array(after);
  const top = (new Int32Array(after)[header.stackTop / 4] as number) - arena - region.stack;
  const stack = Array.from({ length: top / 32 }, (_, index) => {
    const at = (arena + region.stack) / 8 + 4 * index;
    return [3, 2, 1, 0].reduce((word, limb) => (word << 64n) | (limbs[at + limb] as bigint), 0n);
  });
  const size = new Int32Array(after)[header.memorySize / 4] as number;
  return {
    exit,
    stack,
    pc: new Int32Array(after)[header.pc / 4] as number,
    gas: new Float64Array(after)[header.gas / 8] as number,
    memory: new Uint8Array(after, memoryAt, size).slice(),
  };
}

/** 32 big-endian bytes. */
export function wordBytes(word: bigint): number[] {
  return [...Buffer.from(word.toString(16).padStart(64, '0'), 'hex')];
}
