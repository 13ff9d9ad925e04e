/** Where things are in the linear memory that all compiled codes of a thread share, in bytes. */
export const header = {
  /** f64: gas that is left. */
  gas: 0,
  /** f64: gas that a block must leave, else it does not begin. */
  floor: 8,
  /** i32: one past the top of the stack. */
  stackTop: 16,
  /** i32: the opcode that the code stopped at. */
  pc: 20,
  /** i32: where the memory of the frame begins, and its size in bytes: whole words. */
  memoryBase: 24,
  memorySize: 28,
  /** i32: where the region of the frame begins. */
  base: 32,
  /** i32: bytes that the last call returned. */
  returnDataSize: 36,
  /** i32: where the input of the call is, and its length; 32 zeros follow it. */
  dataBase: 40,
  dataSize: 44,
  /** f64: gas that must be left by what depends on operands. */
  least: 48,
  /** i32: where a jump goes to that leaves its function. */
  target: 56,
} as const;

/** Digits of 32 bits of a long division: dividend of up to 16 with one more, divisor of up to 8, quotient. */
export const division = { dividend: 256, divisor: 336, quotient: 384 } as const;
/** State, round constants and last block of Keccak. */
export const keccakPlace = { state: 512, constants: 768, block: 1024 } as const;
/** Regions of frames begin here. */
export const arena = 4096;

/** A region: words that do not change, the stack, the input of the call, memory. */
export const region = {
  address: 0,
  caller: 32,
  value: 64,
  stack: 128,
  data: 128 + 1024 * 32,
} as const;

export const wordBytes = 32;
export const stackMax = 1024;
/** More costs 8 * 10^12 gas, which no block has. */
export const memoryBytesMax = 2 ** 31;
/** Where geth stops to count the size of a memory. */
export const countedBytesMax = 0x1f_ffff_ffe0;
