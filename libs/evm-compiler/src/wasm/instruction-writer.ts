import { ByteWriter } from './byte-writer.ts';
import {
  blockInstructions,
  bulkInstructions,
  indexInstructions,
  memoryInstructions,
  otherCodes,
  plainInstructions,
  simdInstructions,
} from './instructions.ts';

/** One method for each instruction of the tables in instructions.ts. */
type TableMethods = { [Name in keyof typeof plainInstructions | keyof typeof blockInstructions]: () => void } & {
  [Name in keyof typeof memoryInstructions]: (offset: number) => void;
} & { [Name in keyof typeof indexInstructions]: (index: number) => void };

class Writer {
  readonly out: ByteWriter;

  constructor(capacity?: number) {
    this.out = new ByteWriter(capacity);
  }

  i32Const(value: number): void {
    this.out.u8(otherCodes.i32Const);
    this.out.s32(value);
  }

  i64Const(value: bigint): void {
    this.out.u8(otherCodes.i64Const);
    this.out.s64(value);
  }

  /** Branches by the number on the stack: to the label `n` for each `n` below `count`, else to the label `count`. */
  brTable(count: number): void {
    this.out.u8(otherCodes.brTable);
    this.out.u32(count);
    for (let label = 0; label <= count; label++) this.out.u32(label);
  }

  memorySize(): void {
    this.out.u8(otherCodes.memorySize);
    this.out.u8(0);
  }

  memoryGrow(): void {
    this.out.u8(otherCodes.memoryGrow);
    this.out.u8(0);
  }

  i64TruncSatF64S(): void {
    this.#prefixed(otherCodes.bulkPrefix, bulkInstructions.i64TruncSatF64S);
  }

  memoryCopy(): void {
    this.#prefixed(otherCodes.bulkPrefix, bulkInstructions.memoryCopy, 0, 0);
  }

  memoryFill(): void {
    this.#prefixed(otherCodes.bulkPrefix, bulkInstructions.memoryFill, 0);
  }

  v128Load(offset: number): void {
    this.#prefixed(otherCodes.simdPrefix, simdInstructions.v128Load, 0, offset);
  }

  v128Store(offset: number): void {
    this.#prefixed(otherCodes.simdPrefix, simdInstructions.v128Store, 0, offset);
  }

  i8x16Shuffle(lanes: Uint8Array): void {
    this.#prefixed(otherCodes.simdPrefix, simdInstructions.i8x16Shuffle);
    this.out.bytes(lanes);
  }

  i64x2Splat(): void {
    this.#prefixed(otherCodes.simdPrefix, simdInstructions.i64x2Splat);
  }

  i64x2ExtractLane(lane: 0 | 1): void {
    this.#prefixed(otherCodes.simdPrefix, simdInstructions.i64x2ExtractLane, lane);
  }

  i64x2ReplaceLane(lane: 0 | 1): void {
    this.#prefixed(otherCodes.simdPrefix, simdInstructions.i64x2ReplaceLane, lane);
  }

  i32x4Add(): void {
    this.#prefixed(otherCodes.simdPrefix, simdInstructions.i32x4Add);
  }

  i32x4Sub(): void {
    this.#prefixed(otherCodes.simdPrefix, simdInstructions.i32x4Sub);
  }

  #prefixed(prefix: number, ...numbers: readonly number[]): void {
    this.out.u8(prefix);
    for (const number of numbers) this.out.u32(number);
  }
}

function define(name: string, method: (this: Writer, operand: number) => void): void {
  Object.defineProperty(Writer.prototype, name, { value: method });
}

for (const [name, code] of Object.entries(plainInstructions))
  define(name, function () {
    this.out.u8(code);
  });
for (const [name, code] of Object.entries(blockInstructions))
  define(name, function () {
    this.out.u8(code);
    this.out.u8(otherCodes.emptyBlockType);
  });
for (const [name, code] of Object.entries(memoryInstructions))
  define(name, function (offset) {
    this.out.u8(code);
    this.out.u32(0);
    this.out.u32(offset);
  });
for (const [name, code] of Object.entries(indexInstructions))
  define(name, function (index) {
    this.out.u8(code);
    this.out.u32(index);
  });

/** Writes instructions one after the other: `writer.i32Sub()`. */
export type InstructionWriter = Writer & TableMethods;
export const InstructionWriter = Writer as new (capacity?: number) => InstructionWriter;
