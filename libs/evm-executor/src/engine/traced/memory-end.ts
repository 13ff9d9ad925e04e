import type { Frame } from '../interpreter/frame.ts';

const uint64Max = 2n ** 64n - 1n;

/** Where the operands of an opcode are, counted from the top of the stack: of a place and of a length. */
const ranges: ReadonlyMap<number, readonly (readonly [at: number, length: number])[]> = new Map([
  [0x20, [[0, 1]]], // KECCAK256
  [0x37, [[0, 2]]], // CALLDATACOPY
  [0x39, [[0, 2]]], // CODECOPY
  [0x3c, [[1, 3]]], // EXTCODECOPY
  [0x3e, [[0, 2]]], // RETURNDATACOPY
  [
    0x5e,
    [
      [0, 2],
      [1, 2],
    ],
  ], // MCOPY
  [0xa0, [[0, 1]]], // LOG0
  [0xa1, [[0, 1]]], // LOG1
  [0xa2, [[0, 1]]], // LOG2
  [0xa3, [[0, 1]]], // LOG3
  [0xa4, [[0, 1]]], // LOG4
  [0xf0, [[1, 2]]], // CREATE
  [
    0xf1,
    [
      [5, 6],
      [3, 4],
    ],
  ], // CALL
  [
    0xf2,
    [
      [5, 6],
      [3, 4],
    ],
  ], // CALLCODE
  [0xf3, [[0, 1]]], // RETURN
  [
    0xf4,
    [
      [4, 5],
      [2, 3],
    ],
  ], // DELEGATECALL
  [0xf5, [[1, 2]]], // CREATE2
  [
    0xfa,
    [
      [4, 5],
      [2, 3],
    ],
  ], // STATICCALL
  [0xfd, [[0, 1]]], // REVERT
]); // prettier-ignore

/** Opcodes that use as many bytes from the place on top of the stack. */
const fixedLengths: ReadonlyMap<number, bigint> = new Map([
  [0x51, 32n], // MLOAD
  [0x52, 32n], // MSTORE
  [0x53, 1n], // MSTORE8
]);

/** The bytes of memory that a step needs, in whole words; `undefined` for more than 64 bits count. */
export function memoryEnd(opcode: number, { stack, sp }: Frame): bigint | undefined {
  const item = (index: number) => stack[sp - 1 - index] ?? 0n;
  const fixed = fixedLengths.get(opcode);
  if (fixed !== undefined) return wholeWords(endOf(item(0), fixed));
  let end = 0n;
  for (const [at, length] of ranges.get(opcode) ?? []) {
    const each = endOf(item(at), item(length));
    if (each === undefined) return undefined;
    if (each > end) end = each;
  }
  return wholeWords(end);
}

function endOf(at: bigint, length: bigint): bigint | undefined {
  if (length > uint64Max) return undefined;
  if (length === 0n) return 0n;
  const end = at + length;
  return end > uint64Max ? undefined : end;
}

function wholeWords(end: bigint | undefined): bigint | undefined {
  if (end === undefined) return undefined;
  const size = ((end + 31n) / 32n) * 32n;
  return size > uint64Max ? undefined : size;
}
