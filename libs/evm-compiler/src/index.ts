export { Blake2 } from './blake2.ts';
export { type CompiledCode, codeBytesMax, compile, compileInSteps, wasmBytesMax } from './compile.ts';
export { exits } from './exits.ts';
export { arena, header, region, stackMax, wordBytes } from './layout.ts';
export type { OpcodeFigures } from './opcodes/index.ts';
export { type Run, Runtime } from './runtime.ts';
export type { LinearMemory } from './wasm/web-assembly.ts';
