import { BlockWriter } from './block-writer.ts';
import { findBlocks } from './blocks.ts';
import { writeDriver } from './driver.ts';
import { local } from './emitter.ts';
import { helperImports } from './helpers/index.ts';
import type { OpcodeFigures } from './opcodes/index.ts';
import { cutRegions, type Region } from './regions.ts';
import { encodeModule, type FunctionCode, i32 } from './wasm/module.ts';

/** A WebAssembly module and its entry points. */
export interface CompiledCode {
  /** Exports `run`, which takes the index of a block and returns one of {@link exits}. */
  readonly wasm: Uint8Array<ArrayBuffer>;
  /** Index of the block that starts at a code offset, else -1. */
  readonly entries: Int32Array;
}

/** Maximum length of code (EIP-170). Longer init code runs once and is not worth compiling. */
export const codeBytesMax = 24_576;

/** Maximum length of a module. Real code grows 30 times, hostile code 300 times. */
export const wasmBytesMax = 2 * 1024 * 1024;

/**
 * Compiles EVM bytecode to a WebAssembly module, in one pass. Every basic block charges its gas and checks the stack once, at its
 * start. A block that cannot run as a whole is left to an interpreter, so that a fault occurs at its opcode.
 * Time and size are linear in the length of the code.
 * @param figures of the fork under which the code runs
 * @returns `undefined` for code beyond {@link codeBytesMax} or {@link wasmBytesMax}
 */
export function compile(code: Uint8Array, figures: OpcodeFigures): CompiledCode | undefined {
  const steps = compileInSteps(code, figures);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Like {@link compile}, in steps of a few tenths of a millisecond, so that the caller can do other work between them. */
export function* compileInSteps(
  code: Uint8Array,
  figures: OpcodeFigures,
): Generator<undefined, CompiledCode | undefined, undefined> {
  if (code.length > codeBytesMax) return undefined;
  const blocks = findBlocks(code, figures);
  const regions = cutRegions(code, blocks);
  const functions: FunctionCode[] = [];
  let length = 0;
  for (const region of regions) {
    const written = writeRegion(new BlockWriter(code, blocks, figures, region), region);
    length += written?.body.length ?? 0;
    if (written === undefined || length > wasmBytesMax) return undefined;
    functions.push(written);
    yield;
  }
  const [only] = functions;
  if (functions.length === 1) functions[0] = { ...(only as FunctionCode), name: 'run' };
  else {
    const starts = regions.map(({ first }) => blocks.list[first]?.start ?? 0);
    functions.push(writeDriver(regions, starts, helperImports.length));
  }
  return { wasm: encodeModule(helperImports, functions), entries: blocks.at };
}

/** The function of a region: a loop around a branch table of its blocks. `undefined` if it becomes too long. */
function writeRegion(writer: BlockWriter, { first, end }: Region): FunctionCode | undefined {
  const { emitter } = writer;
  const count = end - first;
  emitter.prologue();
  emitter.block(); // Its label leaves the function.
  emitter.loop(); // Its label is the dispatch.
  // One label more than there are blocks: jumps with a computed destination go there.
  for (let index = 0; index <= count; index++) emitter.block();
  emitter.localGet(local.next);
  emitter.i32Const(first);
  emitter.i32Sub();
  emitter.brTable(count);
  for (let index = 0; index < count; index++) {
    emitter.end();
    emitter.loopDepth = count - index;
    writer.write(first + index);
    if (emitter.out.length > wasmBytesMax) return undefined;
  }
  writer.fallThrough();
  emitter.end();
  emitter.loopDepth = 0;
  writer.writeSearch();
  emitter.end();
  emitter.end();
  emitter.epilogue();
  const type = { params: [i32], results: [i32] };
  return { type, locals: emitter.locals, body: new Uint8Array(emitter.out.done()) };
}
