import type { OpcodeFork } from './forks.ts';

/**
 * How the compiler treats an opcode:
 * - `inline`: compiled, and the basic block continues;
 * - `end`: compiled, and the basic block ends;
 * - `host`: compiled code calls the host, then continues after the opcode;
 * - `exit`: compiled code returns to the host, since the opcode opens or ends a frame.
 */
export type CompileKind = 'inline' | 'end' | 'host' | 'exit';

/** Operands that name a range of memory, counted from the top of the stack. The length may be fixed instead. */
export type MemoryRange = readonly [offset: number, length: number | { readonly bytes: number }];

/** Prices by the fork that sets them. Each price applies until the next listed fork. */
export type GasByFork = Readonly<Partial<Record<OpcodeFork, number>>>;

/** One opcode of the EVM. Sources: Yellow Paper, appendix H.2, and the EIP of the row. */
export interface Opcode {
  readonly code: number;
  /** Name that geth shows in traces (core/vm/opcodes.go). */
  readonly name: string;
  /** Words that the opcode takes from the stack, and words that it pushes. */
  readonly pops: number;
  readonly pushes: number;
  /** Gas before the part that depends on operands and state. */
  readonly gas: number | GasByFork;
  readonly since: OpcodeFork;
  readonly eip?: number;
  readonly compile: CompileKind;
  readonly memory?: readonly MemoryRange[];
}

/** All opcodes of all forks, in the order of their codes. All other opcode tables are derived from this one. */
// biome-ignore format: one row per opcode
export const opcodes: readonly Opcode[] = [
  { code: 0x00, name: 'STOP',           pops: 0, pushes: 0, gas: 0,   since: 'frontier', compile: 'end' },
  { code: 0x01, name: 'ADD',            pops: 2, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x02, name: 'MUL',            pops: 2, pushes: 1, gas: 5,   since: 'frontier', compile: 'inline' },
  { code: 0x03, name: 'SUB',            pops: 2, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x04, name: 'DIV',            pops: 2, pushes: 1, gas: 5,   since: 'frontier', compile: 'inline' },
  { code: 0x05, name: 'SDIV',           pops: 2, pushes: 1, gas: 5,   since: 'frontier', compile: 'inline' },
  { code: 0x06, name: 'MOD',            pops: 2, pushes: 1, gas: 5,   since: 'frontier', compile: 'inline' },
  { code: 0x07, name: 'SMOD',           pops: 2, pushes: 1, gas: 5,   since: 'frontier', compile: 'inline' },
  { code: 0x08, name: 'ADDMOD',         pops: 3, pushes: 1, gas: 8,   since: 'frontier', compile: 'inline' },
  { code: 0x09, name: 'MULMOD',         pops: 3, pushes: 1, gas: 8,   since: 'frontier', compile: 'inline' },
  { code: 0x0a, name: 'EXP',            pops: 2, pushes: 1, gas: 10,  since: 'frontier', compile: 'inline' },
  { code: 0x0b, name: 'SIGNEXTEND',     pops: 2, pushes: 1, gas: 5,   since: 'frontier', compile: 'inline' },
  { code: 0x10, name: 'LT',             pops: 2, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x11, name: 'GT',             pops: 2, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x12, name: 'SLT',            pops: 2, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x13, name: 'SGT',            pops: 2, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x14, name: 'EQ',             pops: 2, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x15, name: 'ISZERO',         pops: 1, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x16, name: 'AND',            pops: 2, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x17, name: 'OR',             pops: 2, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x18, name: 'XOR',            pops: 2, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x19, name: 'NOT',            pops: 1, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x1a, name: 'BYTE',           pops: 2, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x1b, name: 'SHL',            pops: 2, pushes: 1, gas: 3,   since: 'constantinople', eip: 145, compile: 'inline' },
  { code: 0x1c, name: 'SHR',            pops: 2, pushes: 1, gas: 3,   since: 'constantinople', eip: 145, compile: 'inline' },
  { code: 0x1d, name: 'SAR',            pops: 2, pushes: 1, gas: 3,   since: 'constantinople', eip: 145, compile: 'inline' },
  { code: 0x1e, name: 'CLZ',            pops: 1, pushes: 1, gas: 5,   since: 'osaka', eip: 7939, compile: 'inline' },
  { code: 0x20, name: 'KECCAK256',      pops: 2, pushes: 1, gas: 30,  since: 'frontier', compile: 'inline', memory: [[0, 1]] },
  { code: 0x30, name: 'ADDRESS',        pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'inline' },
  { code: 0x31, name: 'BALANCE',        pops: 1, pushes: 1, gas: { frontier: 20, tangerineWhistle: 400, istanbul: 700, berlin: 100 }, since: 'frontier', compile: 'host' },
  { code: 0x32, name: 'ORIGIN',         pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'host' },
  { code: 0x33, name: 'CALLER',         pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'inline' },
  { code: 0x34, name: 'CALLVALUE',      pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'inline' },
  { code: 0x35, name: 'CALLDATALOAD',   pops: 1, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline' },
  { code: 0x36, name: 'CALLDATASIZE',   pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'inline' },
  { code: 0x37, name: 'CALLDATACOPY',   pops: 3, pushes: 0, gas: 3,   since: 'frontier', compile: 'host', memory: [[0, 2]] },
  { code: 0x38, name: 'CODESIZE',       pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'inline' },
  { code: 0x39, name: 'CODECOPY',       pops: 3, pushes: 0, gas: 3,   since: 'frontier', compile: 'host', memory: [[0, 2]] },
  { code: 0x3a, name: 'GASPRICE',       pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'host' },
  { code: 0x3b, name: 'EXTCODESIZE',    pops: 1, pushes: 1, gas: { frontier: 20, tangerineWhistle: 700, berlin: 100 }, since: 'frontier', compile: 'host' },
  { code: 0x3c, name: 'EXTCODECOPY',    pops: 4, pushes: 0, gas: { frontier: 20, tangerineWhistle: 700, berlin: 100 }, since: 'frontier', compile: 'host', memory: [[1, 3]] },
  { code: 0x3d, name: 'RETURNDATASIZE', pops: 0, pushes: 1, gas: 2,   since: 'byzantium', eip: 211, compile: 'inline' },
  { code: 0x3e, name: 'RETURNDATACOPY', pops: 3, pushes: 0, gas: 3,   since: 'byzantium', eip: 211, compile: 'host', memory: [[0, 2]] },
  { code: 0x3f, name: 'EXTCODEHASH',    pops: 1, pushes: 1, gas: { constantinople: 400, istanbul: 700, berlin: 100 }, since: 'constantinople', eip: 1052, compile: 'host' },
  { code: 0x40, name: 'BLOCKHASH',      pops: 1, pushes: 1, gas: 20,  since: 'frontier', compile: 'host' },
  { code: 0x41, name: 'COINBASE',       pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'host' },
  { code: 0x42, name: 'TIMESTAMP',      pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'host' },
  { code: 0x43, name: 'NUMBER',         pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'host' },
  // PREVRANDAO since the merge (EIP-4399). geth keeps the old name in traces.
  { code: 0x44, name: 'DIFFICULTY',     pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'host' },
  { code: 0x45, name: 'GASLIMIT',       pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'host' },
  { code: 0x46, name: 'CHAINID',        pops: 0, pushes: 1, gas: 2,   since: 'istanbul', eip: 1344, compile: 'host' },
  { code: 0x47, name: 'SELFBALANCE',    pops: 0, pushes: 1, gas: 5,   since: 'istanbul', eip: 1884, compile: 'host' },
  { code: 0x48, name: 'BASEFEE',        pops: 0, pushes: 1, gas: 2,   since: 'london', eip: 3198, compile: 'host' },
  { code: 0x49, name: 'BLOBHASH',       pops: 1, pushes: 1, gas: 3,   since: 'cancun', eip: 4844, compile: 'host' },
  { code: 0x4a, name: 'BLOBBASEFEE',    pops: 0, pushes: 1, gas: 2,   since: 'cancun', eip: 7516, compile: 'host' },
  { code: 0x50, name: 'POP',            pops: 1, pushes: 0, gas: 2,   since: 'frontier', compile: 'inline' },
  { code: 0x51, name: 'MLOAD',          pops: 1, pushes: 1, gas: 3,   since: 'frontier', compile: 'inline', memory: [[0, { bytes: 32 }]] },
  { code: 0x52, name: 'MSTORE',         pops: 2, pushes: 0, gas: 3,   since: 'frontier', compile: 'inline', memory: [[0, { bytes: 32 }]] },
  { code: 0x53, name: 'MSTORE8',        pops: 2, pushes: 0, gas: 3,   since: 'frontier', compile: 'inline', memory: [[0, { bytes: 1 }]] },
  // From Berlin on, SLOAD costs nothing beside the price of a cold or warm slot (EIP-2929).
  { code: 0x54, name: 'SLOAD',          pops: 1, pushes: 1, gas: { frontier: 50, tangerineWhistle: 200, istanbul: 800, berlin: 0 }, since: 'frontier', compile: 'host' },
  { code: 0x55, name: 'SSTORE',         pops: 2, pushes: 0, gas: 0,   since: 'frontier', compile: 'host' },
  { code: 0x56, name: 'JUMP',           pops: 1, pushes: 0, gas: 8,   since: 'frontier', compile: 'end' },
  { code: 0x57, name: 'JUMPI',          pops: 2, pushes: 0, gas: 10,  since: 'frontier', compile: 'end' },
  { code: 0x58, name: 'PC',             pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'inline' },
  { code: 0x59, name: 'MSIZE',          pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'inline' },
  // GAS ends its block: gas of a block is charged at its start, so opcodes after GAS must be in another block.
  { code: 0x5a, name: 'GAS',            pops: 0, pushes: 1, gas: 2,   since: 'frontier', compile: 'end' },
  { code: 0x5b, name: 'JUMPDEST',       pops: 0, pushes: 0, gas: 1,   since: 'frontier', compile: 'inline' },
  { code: 0x5c, name: 'TLOAD',          pops: 1, pushes: 1, gas: 100, since: 'cancun', eip: 1153, compile: 'host' },
  { code: 0x5d, name: 'TSTORE',         pops: 2, pushes: 0, gas: 100, since: 'cancun', eip: 1153, compile: 'host' },
  { code: 0x5e, name: 'MCOPY',          pops: 3, pushes: 0, gas: 3,   since: 'cancun', eip: 5656, compile: 'host', memory: [[0, 2], [1, 2]] },
  { code: 0x5f, name: 'PUSH0',          pops: 0, pushes: 1, gas: 2,   since: 'shanghai', eip: 3855, compile: 'inline' },
  ...numbered(0x60, 'PUSH', 1, 32, () => ({ pops: 0, pushes: 1, gas: 3, compile: 'inline' })),
  // DUP and SWAP do not remove words: their `pops` is the depth that they read.
  ...numbered(0x80, 'DUP', 1, 16, (n) => ({ pops: n, pushes: n + 1, gas: 3, compile: 'inline' })),
  ...numbered(0x90, 'SWAP', 1, 16, (n) => ({ pops: n + 1, pushes: n + 1, gas: 3, compile: 'inline' })),
  ...numbered(0xa0, 'LOG', 0, 4, (n) => ({ pops: n + 2, pushes: 0, gas: 375 + 375 * n, compile: 'host', memory: [[0, 1]] })),
  { code: 0xf0, name: 'CREATE',         pops: 3, pushes: 1, gas: 32_000, since: 'frontier', compile: 'exit', memory: [[1, 2]] },
  { code: 0xf1, name: 'CALL',           pops: 7, pushes: 1, gas: { frontier: 40, tangerineWhistle: 700, berlin: 100 }, since: 'frontier', compile: 'exit', memory: [[5, 6], [3, 4]] },
  { code: 0xf2, name: 'CALLCODE',       pops: 7, pushes: 1, gas: { frontier: 40, tangerineWhistle: 700, berlin: 100 }, since: 'frontier', compile: 'exit', memory: [[5, 6], [3, 4]] },
  { code: 0xf3, name: 'RETURN',         pops: 2, pushes: 0, gas: 0,   since: 'frontier', compile: 'exit', memory: [[0, 1]] },
  { code: 0xf4, name: 'DELEGATECALL',   pops: 6, pushes: 1, gas: { homestead: 40, tangerineWhistle: 700, berlin: 100 }, since: 'homestead', eip: 7, compile: 'exit', memory: [[4, 5], [2, 3]] },
  { code: 0xf5, name: 'CREATE2',        pops: 4, pushes: 1, gas: 32_000, since: 'constantinople', eip: 1014, compile: 'exit', memory: [[1, 2]] },
  { code: 0xfa, name: 'STATICCALL',     pops: 6, pushes: 1, gas: { byzantium: 700, berlin: 100 }, since: 'byzantium', eip: 214, compile: 'exit', memory: [[4, 5], [2, 3]] },
  { code: 0xfd, name: 'REVERT',         pops: 2, pushes: 0, gas: 0,   since: 'byzantium', eip: 140, compile: 'exit', memory: [[0, 1]] },
  { code: 0xff, name: 'SELFDESTRUCT',   pops: 1, pushes: 0, gas: { frontier: 0, tangerineWhistle: 5000 }, since: 'frontier', compile: 'exit' },
];

/** geth's names for codes that no fork supports: opcodes of future forks and of withdrawn formats. */
export const reservedNames: readonly (readonly [code: number, name: string])[] = [
  [0x4b, 'SLOTNUM'],
  [0xd0, 'DATALOAD'],
  [0xd1, 'DATALOADN'],
  [0xd2, 'DATASIZE'],
  [0xd3, 'DATACOPY'],
  [0xe0, 'RJUMP'],
  [0xe1, 'RJUMPI'],
  [0xe2, 'RJUMPV'],
  [0xe3, 'CALLF'],
  [0xe4, 'RETF'],
  [0xe5, 'JUMPF'],
  [0xe6, 'DUPN'],
  [0xe7, 'SWAPN'],
  [0xe8, 'EXCHANGE'],
  [0xec, 'EOFCREATE'],
  [0xee, 'RETURNCONTRACT'],
  [0xf7, 'RETURNDATALOAD'],
  [0xf8, 'EXTCALL'],
  [0xf9, 'EXTDELEGATECALL'],
  [0xfb, 'EXTSTATICCALL'],
  [0xfe, 'INVALID'],
];

type NumberedRow = Pick<Opcode, 'pops' | 'pushes' | 'gas' | 'compile' | 'memory'>;

/** Rows of opcodes that differ in a number only: PUSH1 to PUSH32, DUP, SWAP and LOG. All exist since Frontier. */
function numbered(
  firstCode: number,
  name: string,
  first: number,
  last: number,
  rowOf: (number: number) => NumberedRow,
): Opcode[] {
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    code: firstCode + index,
    name: `${name}${first + index}`,
    since: 'frontier',
    ...rowOf(first + index),
  }));
}
