import { type Address, addressFromWord, wordFromAddress } from '../state/addresses.ts';
import { wordIntegers } from '../state/slot-table.ts';
import type { Analysis } from './analysis.ts';
import { copyInto, copyOf } from './copies.ts';
import { Halt, halts } from './halt.ts';
import { viewOf } from './words.ts';

const noBytes = new Uint8Array(0);
const emptyView = viewOf(noBytes);
const wordsPerPage = 32;
/** More costs 8 * 10^12 gas, which no block has. */
const memoryBytesMax = 2 ** 31;
const integers = new Int32Array(2 * wordIntegers);
const limbs = new BigUint64Array(integers.buffer);
const limbMax = 2n ** 64n - 1n;

/** Where geth stops to count the size of a memory. */
const countedBytesMax = 0x1f_ffff_ffe0;
/** Places have 64 bits. */
const placesEnd = 2 ** 64;

/** How much a message may run before it is asked about: by gas, or by time in pieces of gas. */
export interface Meter {
  /** It goes on while there is time. Else it ends where its gas is used up, for good. */
  readonly isPaced: boolean;
  /** Lets the frames go on for another piece. @throws GasBudgetExceeded, EXECUTION_TIMEOUT */
  renew(): void;
}

export type FrameKind = 'call' | 'create';

export interface FrameOptions {
  readonly kind: FrameKind;
  readonly analysis: Analysis;
  /** Whose storage and balance the code works on. */
  readonly address: Uint8Array;
  readonly caller: Uint8Array;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly gas: number;
  /** With less than this left it asks its meter whether it may go on; 0 where that has no limit. */
  readonly floor: number;
  readonly meter: Meter;
  readonly isStatic: boolean;
  /** 1 for the frame of the message. */
  readonly depth: number;
  readonly stack: bigint[];
}

/** One run of a code: its stack, memory and gas. */
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
  /** What is left. */
  gas: number;
  pc = 0;
  readonly stack: bigint[];
  /** Items on the stack; the array may hold more. */
  sp = 0;
  #memory: Uint8Array = noBytes;
  #view: DataView = emptyView;
  /** Bytes of memory in use: whole words. */
  memorySize = 0;
  /** Of the last call that this frame made. */
  returnData: Uint8Array = noBytes;
  /** What it ended with. */
  output: Uint8Array = noBytes;
  isReverted = false;
  /** Where its caller wants the output. */
  outputAt = 0;
  outputLength = 0;
  /** A jump with less gas than this leaves the interpreter: the code is worth compiling. */
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

  /** Where its region in linear memory ends, where it has one. */
  get regionEnd(): number | undefined {
    return undefined;
  }

  /** What {@link range} has made accessible, and more. Not to be kept: it may grow elsewhere. */
  get memory(): Uint8Array {
    return this.#memory;
  }

  get view(): DataView {
    return this.#view;
  }

  /** @throws Halt `out of gas`, and what the meter throws */
  charge(gas: number): void {
    this.gas -= gas;
    if (this.gas < this.floor) this.spent();
  }

  /** There is less gas than there must be: comes back where there is some, and the meter lets it go on. */
  spent(): void {
    if (this.gas < 0) throw halts.outOfGas;
    this.meter.renew();
  }

  pop(): bigint {
    return this.stack[--this.sp] as bigint;
  }

  /** The low 20 bytes of a word: opcodes that take an address do not look at the others. */
  popAddress(): Address {
    return addressFromWord(BigInt.asUintN(160, this.pop()));
  }

  /** A word that is a place, a length or gas: exact up to 2^53, beyond that some number that is greater. */
  popNumber(): number {
    return Number(this.pop());
  }

  push(word: bigint): void {
    this.stack[this.sp++] = word;
  }

  /** Integers of 32 bits in which {@link popWord} puts words, and {@link pushWord} finds them. */
  get integers(): Int32Array {
    return integers;
  }

  /** Takes a word from the stack and tells where in {@link integers} it is, until `which` is asked for again. */
  popWord(which: 0 | 1): number {
    const at = which * wordIntegers;
    let rest = this.pop();
    for (let limb = 0; limb < 4; limb++) {
      limbs[at / 2 + limb] = rest;
      rest = rest > limbMax ? rest >> 64n : 0n;
    }
    return at;
  }

  /** Pushes the word at a place of `source`. */
  pushWord(source: Int32Array, at: number): void {
    integers.set(source.subarray(at, at + wordIntegers));
    this.push(
      ((((limbs[3] as bigint) << 64n) | (limbs[2] as bigint)) << 128n) |
        ((limbs[1] as bigint) << 64n) |
        (limbs[0] as bigint),
    );
  }

  /**
   * Makes a range of memory accessible and charges for it (Yellow Paper, H.1). An empty range is none, wherever it is.
   * @returns where the range begins @throws Halt
   */
  range(at: number, length: number): number {
    if (length === 0) return 0;
    const end = at + length;
    if (end > countedBytesMax) throw end < placesEnd ? halts.pricedOverflow : halts.gasOverflow;
    if (end > memoryBytesMax) throw halts.outOfGas;
    this.expand(end);
    return at;
  }

  /** As {@link range}, for an end that is a number already. */
  expand(end: number): void {
    if (end <= this.memorySize) return;
    const words = Math.ceil(end / 32);
    this.charge(memoryGas(words) - memoryGas(this.memorySize / 32));
    const before = this.memorySize;
    this.memorySize = words * 32;
    this.grow(before);
  }

  /** Makes memory as large as {@link memorySize}, the new part zeros. */
  protected grow(_before: number): void {
    const { length } = this.#memory;
    if (this.memorySize <= length) return;
    const grown = new Uint8Array(Math.max(this.memorySize, length * 2, wordsPerPage * 32));
    grown.set(this.#memory);
    this.#memory = grown;
    this.#view = viewOf(grown);
  }

  /** Writes into memory that {@link range} has made accessible. */
  writeMemory(at: number, bytes: Uint8Array): void {
    this.#memory.set(bytes, at);
  }

  /** A copy of memory that {@link range} has made accessible. */
  copyMemory(at: number, length: number): Uint8Array {
    return copyOf(this.memory, at, length);
  }

  /** Copies memory that {@link range} has made accessible to a place in bytes. */
  readMemory(at: number, length: number, target: Uint8Array, targetAt: number): void {
    copyInto(target, targetAt, this.memory, at, length);
  }

  /** Writes what a call returned to where this frame wants it. */
  takeOutput(output: Uint8Array): void {
    const length = Math.min(this.outputLength, output.length);
    if (length > 0) this.writeMemory(this.outputAt, length === output.length ? output : output.subarray(0, length));
  }

  /** Ends a frame that has failed with all its gas. */
  fail(): void {
    this.gas = 0;
    this.output = noBytes;
    this.isReverted = true;
  }
}

/** Yellow Paper, H.1. */
function memoryGas(words: number): number {
  return words * 3 + Math.floor((words * words) / 512);
}

/** @throws Halt in geth's words */
export function stackFault(size: number, needed: number): never {
  if (size < needed) throw new Halt(`stack underflow (${size} <=> ${needed})`);
  throw new Halt(`stack limit reached ${size} (1023)`);
}
