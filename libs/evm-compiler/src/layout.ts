/** Byte offsets in the linear memory that all compiled codes of a thread share. Each field lists its type. */
export const header = {
  /** f64: remaining gas. */
  gas: 0,
  /** f64: a block that would leave less gas is not entered. */
  floor: 8,
  /** i32: one past the top of the stack. */
  stackTop: 16,
  /** i32: code offset of the opcode at which the code stopped. */
  pc: 20,
  /** i32: start of the frame's memory, and its size in bytes, a multiple of 32. */
  memoryBase: 24,
  memorySize: 28,
  /** i32: start of the frame's region. */
  base: 32,
  /** i32: length of the last call's return data. */
  returnDataSize: 36,
  /** i32: start and length of the call data. 32 zero bytes follow it. */
  dataBase: 40,
  dataSize: 44,
  /** f64: an opcode priced by its operands must leave as much gas. */
  least: 48,
  /** i32: destination of a jump out of its function. */
  target: 56,
} as const;

/** 32-bit digits of a long division: a dividend of up to 17, a divisor of up to 8, the quotient. */
export const division = { dividend: 256, divisor: 336, quotient: 384 } as const;
/** State, round constants and padded last block of Keccak. */
export const keccakPlace = { state: 512, constants: 768, block: 1024 } as const;
/** Recent digests of 64 bytes: the bytes, then the digest, whose first lane is zero in an unused entry. */
export const recentDigests = { at: 4096, entries: 256, entryBytes: 96 } as const;
/** Start of the first frame's region. */
export const arena = recentDigests.at + recentDigests.entries * recentDigests.entryBytes;

/** Offsets in the region of a frame: constant words, stack, call data, memory. */
export const region = {
  address: 0,
  caller: 32,
  value: 64,
  stack: 128,
  data: 128 + 1024 * 32,
} as const;

export const wordBytes = 32;
export const stackMax = 1024;
/** Maximum memory of a frame. A larger memory costs more than 8 * 10^12 gas, which no block has. */
export const memoryBytesMax = 2 ** 31;
/** Largest memory size that geth counts (core/vm/gas_table.go). */
export const countedBytesMax = 0x1f_ffff_ffe0;
