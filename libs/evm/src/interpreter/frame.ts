import { type Address, addressFromWord, wordFromAddress } from '../state/addresses.ts';
import { wordIntegers } from '../state/slot-table.ts';
import type { Analysis } from './analysis.ts';
import { copyInto, copyOf } from './copies.ts';
import { Halt, halts } from './halt.ts';
import { viewOf } from './words.ts';

const noBytes = new Uint8Array(0);
const emptyView = viewOf(noBytes);
const wordsPerPage = 32;
/** A larger memory costs more than 8 * 10^12 gas, which no block has. */
const memoryBytesMax = 2 ** 31;
const integers = new Int32Array(2 * wordIntegers);
const limbs = new BigUint64Array(integers.buffer);
const limbMax = 2n ** 64n - 1n;

/** Largest memory size that geth counts (core/vm/gas_table.go). */
const countedBytesMax = 0x1f_ffff_ffe0;
/** Memory offsets have 64 bits. */
const placesEnd = 2 ** 64;

/** Limits the run of a message: by gas, or by time, which is checked after each allowance of gas. */
export interface Meter {
  /** True if {@link renew} grants more gas until a deadline; false if the allowance is final. */
  readonly isPaced: boolean;
  /** Grants the frames another allowance. @throws GasBudgetExceeded, EXECUTION_TIMEOUT */
  renew(): void;
}

export type FrameKind = 'call' | 'create';

export interface FrameOptions {
  readonly kind: FrameKind;
  readonly analysis: Analysis;
  /** Account whose storage and balance the code uses. */
  readonly address: Uint8Array;
  readonly caller: Uint8Array;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly gas: number;
  /** Gas below which the frame calls its meter; 0 without a limit. */
  readonly floor: number;
  readonly meter: Meter;
  readonly isStatic: boolean;
  /** 1 for the frame of the message. */
  readonly depth: number;
  readonly stack: bigint[];
}

/** One execution of a code: stack, memory and gas. */
export class Frame {
  readonly kind: FrameKind;
  readonly analysis: Analysis;
  readonly address: Uint8Array;
  readonly caller: Uint8Array;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly isStatic: boolean;
  readonly depth: number;
  readonly meter: Meter;
  floor: number;
  /** Remaining gas. */
  gas: number;
  pc = 0;
  readonly stack: bigint[];
  /** Number of words on the stack. The array may be longer. */
  sp = 0;
  #memory: Uint8Array = noBytes;
  #view: DataView = emptyView;
  /** Size of memory in bytes, a multiple of 32. */
  memorySize = 0;
  /** Return data of the last call. */
  returnData: Uint8Array = noBytes;
  /** Output of RETURN or REVERT. */
  output: Uint8Array = noBytes;
  isReverted = false;
  /** Offset in this frame's memory for the output of its current call. */
  outputAt = 0;
  outputLength = 0;
  /** A jump with less gas than this leaves the interpreter, since the code is worth compiling. */
  compileBelow = -1;

  constructor({
    kind,
    analysis,
    address,
    caller,
    value,
    data,
    gas,
    isStatic,
    depth,
    stack,
    floor,
    meter,
  }: FrameOptions) {
    this.kind = kind;
    this.analysis = analysis;
    this.address = address;
    this.caller = caller;
    this.value = value;
    this.data = data;
    this.floor = floor;
    this.meter = meter;
    this.gas = gas;
    this.isStatic = isStatic;
    this.depth = depth;
    this.stack = stack;
  }

  /** The address as a word. */
  get addressWord(): bigint {
    return wordFromAddress(this.address);
  }

  /** End of its region in linear memory; `undefined` for interpreted frames. */
  get regionEnd(): number | undefined {
    return undefined;
  }

  /** Memory up to {@link memorySize}, and more. Do not keep it: growth replaces the array. */
  get memory(): Uint8Array {
    return this.#memory;
  }

  get view(): DataView {
    return this.#view;
  }

  /** @throws Halt `out of gas`, and errors of the meter */
  charge(gas: number): void {
    this.gas -= gas;
    if (this.gas < this.floor) this.spent();
  }

  /** Called with less gas than {@link floor}. Returns if gas remains and the meter grants more. */
  spent(): void {
    if (this.gas < 0) throw halts.outOfGas;
    this.meter.renew();
  }

  pop(): bigint {
    return this.stack[--this.sp] as bigint;
  }

  /** Address in the low 20 bytes of a word. Opcodes ignore the other bytes. */
  popAddress(): Address {
    return addressFromWord(BigInt.asUintN(160, this.pop()));
  }

  /** Pops an offset, a length or gas. Exact up to 2^53; larger values are rounded and stay above 2^53. */
  popNumber(): number {
    return Number(this.pop());
  }

  push(word: bigint): void {
    this.stack[this.sp++] = word;
  }

  /** Array in which {@link popWord} leaves words, as 32-bit integers. */
  get integers(): Int32Array {
    return integers;
  }

  /** Pops a word and returns its index in {@link integers}. The next call with the same `which` overwrites it. */
  popWord(which: 0 | 1): number {
    const at = which * wordIntegers;
    let rest = this.pop();
    for (let limb = 0; limb < 4; limb++) {
      limbs[at / 2 + limb] = rest;
      rest = rest > limbMax ? rest >> 64n : 0n;
    }
    return at;
  }

  /** Pushes the word at an offset of `source`. */
  pushWord(source: Int32Array, at: number): void {
    integers.set(source.subarray(at, at + wordIntegers));
    this.push(
      ((((limbs[3] as bigint) << 64n) | (limbs[2] as bigint)) << 128n) |
        ((limbs[1] as bigint) << 64n) |
        (limbs[0] as bigint),
    );
  }

  /**
   * Expands memory to a range and charges for it (Yellow Paper, H.1). An empty range needs no memory at any offset.
   * @returns the start of the range @throws Halt
   */
  range(at: number, length: number): number {
    if (length === 0) return 0;
    const end = at + length;
    if (end > countedBytesMax) throw end < placesEnd ? halts.pricedOverflow : halts.gasOverflow;
    if (end > memoryBytesMax) throw halts.outOfGas;
    this.expand(end);
    return at;
  }

  /** Expands memory to an end and charges for it. @throws Halt */
  expand(end: number): void {
    if (end <= this.memorySize) return;
    const words = Math.ceil(end / 32);
    this.charge(memoryGas(words) - memoryGas(this.memorySize / 32));
    const before = this.memorySize;
    this.memorySize = words * 32;
    this.grow(before);
  }

  /** Enlarges the array to {@link memorySize}; new bytes are zeros. */
  protected grow(_before: number): void {
    const { length } = this.#memory;
    if (this.memorySize <= length) return;
    const grown = new Uint8Array(Math.max(this.memorySize, length * 2, wordsPerPage * 32));
    grown.set(this.#memory);
    this.#memory = grown;
    this.#view = viewOf(grown);
  }

  /** Writes to memory within {@link memorySize}. */
  writeMemory(at: number, bytes: Uint8Array): void {
    this.#memory.set(bytes, at);
  }

  /** Copies memory within {@link memorySize}. */
  copyMemory(at: number, length: number): Uint8Array {
    return copyOf(this.memory, at, length);
  }

  /** Copies the input of a call. It stays unchanged until the called frame, or the precompile, has ended. */
  copyInput(at: number, length: number): Uint8Array {
    return this.copyMemory(at, length);
  }

  /** Copies the output of this frame. It stays unchanged until the caller makes its next call. */
  copyOutput(at: number, length: number): Uint8Array {
    return this.copyMemory(at, length);
  }

  /** Copies memory within {@link memorySize} into other bytes. */
  readMemory(at: number, length: number, target: Uint8Array, targetAt: number): void {
    copyInto(target, targetAt, this.memory, at, length);
  }

  /** Writes the output of a call to the memory range that this frame has reserved for it. */
  takeOutput(output: Uint8Array): void {
    const length = Math.min(this.outputLength, output.length);
    if (length > 0) this.writeMemory(this.outputAt, length === output.length ? output : output.subarray(0, length));
  }

  /** Ends a failed frame: all its gas is used. */
  fail(): void {
    this.gas = 0;
    this.output = noBytes;
    this.isReverted = true;
  }
}

/** Gas of a memory in words (Yellow Paper, H.1). */
function memoryGas(words: number): number {
  return words * 3 + Math.floor((words * words) / 512);
}

/** @throws Halt with geth's message */
export function stackFault(size: number, needed: number): never {
  if (size < needed) throw new Halt(`stack underflow (${size} <=> ${needed})`);
  throw new Halt(`stack limit reached ${size} (1023)`);
}
