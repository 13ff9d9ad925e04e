/**
 * Instructions of WebAssembly that take no operand in the code (WebAssembly Core Specification, "Binary Format:
 * Instructions"). Names are those of the text format in camel case: `i32.lt_u` is `i32LtU`.
 */
export const plainInstructions = {
  unreachable: 0x00,
  else: 0x05,
  end: 0x0b,
  return: 0x0f,
  select: 0x1b,
  i32Eqz: 0x45,
  i32Eq: 0x46,
  i32Ne: 0x47,
  i32LtS: 0x48,
  i32LtU: 0x49,
  i32GtS: 0x4a,
  i32GtU: 0x4b,
  i32LeU: 0x4d,
  i32GeS: 0x4e,
  i32GeU: 0x4f,
  i64Eqz: 0x50,
  i64Eq: 0x51,
  i64Ne: 0x52,
  i64LtS: 0x53,
  i64LtU: 0x54,
  i64GtU: 0x56,
  i64LeU: 0x58,
  i64GeU: 0x5a,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  i32Mul: 0x6c,
  i32And: 0x71,
  i32Or: 0x72,
  i32Shl: 0x74,
  i32ShrU: 0x76,
  i64Clz: 0x79,
  i64Add: 0x7c,
  i64Sub: 0x7d,
  i64Mul: 0x7e,
  i64DivU: 0x80,
  i64RemU: 0x82,
  i64And: 0x83,
  i64Or: 0x84,
  i64Xor: 0x85,
  i64Shl: 0x86,
  i64ShrS: 0x87,
  i64ShrU: 0x88,
  i64Rotl: 0x89,
  i32WrapI64: 0xa7,
  i64ExtendI32U: 0xad,
  f64ConvertI64S: 0xb9,
} as const;

/** Instructions that open a block without results. A branch to its label leaves the block, or repeats a `loop`. */
export const blockInstructions = { block: 0x02, loop: 0x03, if: 0x04 } as const;

/** Loads and stores with an offset. They are written with alignment 0, which makes no promise. */
export const memoryInstructions = {
  i32Load: 0x28,
  i64Load: 0x29,
  f64Load: 0x2b,
  i64Load32S: 0x34,
  i64Load32U: 0x35,
  i32Store: 0x36,
  i64Store: 0x37,
  f64Store: 0x39,
  i32Store8: 0x3a,
  i64Store32: 0x3e,
} as const;

/** Instructions with the index of a label (`br`), of a local or of a function. */
export const indexInstructions = {
  br: 0x0c,
  brIf: 0x0d,
  call: 0x10,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
} as const;

/** Other codes: constants, branch tables, prefixes of SIMD and bulk memory, and the type of a block without results. */
export const otherCodes = {
  brTable: 0x0e,
  memorySize: 0x3f,
  memoryGrow: 0x40,
  i32Const: 0x41,
  i64Const: 0x42,
  bulkPrefix: 0xfc,
  simdPrefix: 0xfd,
  emptyBlockType: 0x40,
} as const;

/** Instructions that follow the byte `bulkPrefix`. */
export const bulkInstructions = { i64TruncSatF64S: 6, memoryCopy: 10, memoryFill: 11 } as const;

/** Instructions that follow the byte `simdPrefix`. */
export const simdInstructions = {
  v128Load: 0,
  v128Store: 11,
  i8x16Shuffle: 13,
  i64x2Splat: 18,
  i64x2ExtractLane: 29,
  i64x2ReplaceLane: 30,
  i32x4Add: 174,
  i32x4Sub: 177,
} as const;
