export { type OpcodeFork, opcodeForks } from './forks.ts';
export { op } from './op.ts';
export { includesFork, type OpcodeFigures, opcodeAt, opcodeFigures, opcodeName } from './opcode-figures.ts';
export { callOpcodes, isLog } from './opcode-groups.ts';
export { type CompileKind, type GasByFork, type MemoryRange, type Opcode, opcodes } from './opcode-table.ts';
