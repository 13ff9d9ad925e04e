import { op } from '@cairn/evm-compiler/opcodes';
import { wordFromBytes } from './words.ts';

const bytesAsWords = Array.from({ length: 256 }, (_, byte) => BigInt(byte));

/** Mark of a JUMPDEST in the table of code offsets. */
const jumpDestination = 0xffff_ffff;

/** Jump destinations and pushed constants of a code, found in one pass. */
export class Analysis {
  readonly code: Uint8Array;
  /** By code offset: index of the pushed constant, counted from 1, or the mark of a JUMPDEST. */
  readonly #places: Uint32Array;
  readonly #constants: (bigint | undefined)[];

  constructor(code: Uint8Array) {
    this.code = code;
    this.#places = new Uint32Array(code.length);
    let count = 0;
    for (let pc = 0; pc < code.length; pc++) {
      const opcode = code[pc] ?? 0;
      if (opcode === op.JUMPDEST) this.#places[pc] = jumpDestination;
      else if (opcode >= op.PUSH1 && opcode <= op.PUSH32) {
        this.#places[pc] = ++count;
        pc += opcode - op.PUSH0;
      }
    }
    this.#constants = new Array(count);
  }

  /** Maximum size in bytes, including the code. */
  get size(): number {
    return this.code.length * (1 + bytesPerPlace) + this.#constants.length * bytesPerConstant;
  }

  isJumpDestination(pc: number): boolean {
    return this.#places[pc] === jumpDestination;
  }

  /** Returns the constant of the PUSH at a code offset. Bytes beyond the end of the code are zeros. */
  pushed(pc: number): bigint {
    const index = (this.#places[pc] ?? 1) - 1;
    return this.#constants[index] ?? this.#make(pc, index);
  }

  #make(pc: number, index: number): bigint {
    const constant = constantAt(this.code, pc);
    this.#constants[index] = constant;
    return constant;
  }
}

/** Approximate bound of all analyses, in bytes. The cache is cleared when it is reached. */
const bytesMax = 32 * 1024 * 1024;
const bytesPerPlace = 4;
/** Bytes of a constant with its array entry. */
const bytesPerConstant = 48;

const analyses = new Map<Uint8Array, Analysis>();
let bytes = 0;

/** Cached analysis of a code. The array must not be modified. */
export function analysisOf(code: Uint8Array): Analysis {
  const known = analyses.get(code);
  if (known !== undefined) return known;
  const analysis = new Analysis(code);
  bytes += analysis.size;
  if (bytes > bytesMax) {
    analyses.clear();
    bytes = analysis.size;
  }
  analyses.set(code, analysis);
  return analysis;
}

/** Returns the constant of the PUSH at a code offset. Short constants, the common case, allocate no array. */
function constantAt(code: Uint8Array, pc: number): bigint {
  const length = (code[pc] ?? 0) - op.PUSH0;
  if (length === 1) return bytesAsWords[code[pc + 1] ?? 0] as bigint;
  if (length <= 6 && pc + length < code.length) {
    let number = 0;
    for (let at = pc + 1; at <= pc + length; at++) number = number * 256 + (code[at] as number);
    return BigInt(number);
  }
  const bytes = code.subarray(pc + 1, pc + 1 + length);
  return wordFromBytes(bytes) << BigInt(8 * (length - bytes.length));
}
