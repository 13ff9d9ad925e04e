import { compile } from './compile.ts';
import { arena, header, region } from './layout.ts';
import { type OpcodeFigures, opcodeFigures } from './opcodes/index.ts';
import { Runtime } from './runtime.ts';

/** The host of the tests throws where this word is on top of the stack. */
export const refusedWord = 99n;

const osaka = opcodeFigures('osaka');

/** Figures of Osaka with a cost of 1 for each opcode, so that gas counts opcodes. */
export const figures: OpcodeFigures = { ...osaka, cost: osaka.cost.map((cost) => (cost < 0 ? -1 : 1)) };

/** The host of the tests adds one to the word on top of the stack, for ten gas, whatever the opcode is. */
const runtime = new Runtime(() => {
  const { buffer } = runtime.memory;
  const doubles = new Float64Array(buffer);
  const limbs = new BigUint64Array(buffer);
  const top = (new Int32Array(buffer)[header.stackTop / 4] as number) / 8 - 4;
  if (limbs[top] === refusedWord) throw new Error('The host refuses.');
  limbs[top] = (limbs[top] as bigint) + 1n;
  doubles[header.gas / 8] = (doubles[header.gas / 8] as number) - 10;
});

/** Compiles a code and runs it from its beginning. */
export function runCode(code: Uint8Array, { gas = 1_000_000, data = new Uint8Array() } = {}) {
  const compiled = compile(code, figures);
  if (compiled === undefined) throw new Error('The compiler refused the code: it is too long.');
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
