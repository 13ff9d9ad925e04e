import { header, type LinearMemory, type Run, region, wordBytes } from '@cairn/evm-compiler';
import { copyInto, copyOf } from '../interpreter/copies.ts';
import { Frame, type FrameOptions } from '../interpreter/frame.ts';
import { viewOf } from '../interpreter/words.ts';
import { type Address, addressAt } from '../state/addresses.ts';
import { wordIntegers } from '../state/slot-table.ts';
import { ReusedBytes } from './reused-bytes.ts';

const pageBytes = 65_536;
const addressIntegers = 5;
/** Replaces words beyond 64 bits. */
const beyondNumbers = 2 ** 64;
const limbMask = (1n << 64n) - 1n;
/** Pages to grow beyond the needed ones. */
const sparePages = 16;

/** Instantiated code. */
export interface ReadyCode {
  readonly run: Run;
  /** Index of the block that starts at a code offset, else -1. */
  readonly entries: Int32Array;
}

/** Frames at greater depths copy the inputs of their calls to new arrays. */
const reusedDepths = 16;

/** The linear memory and its views. Growth replaces the views. */
export class SharedMemory {
  readonly #memory: LinearMemory;
  /** Inputs of the calls of frames at a depth: a frame has one open call at most. */
  readonly inputs: readonly ReusedBytes[] = Array.from({ length: reusedDepths }, () => new ReusedBytes());
  /** Return data: only the frame that runs reads it, and its next call replaces it. */
  readonly output = new ReusedBytes();
  bytes: Uint8Array;
  limbs: BigUint64Array;
  integers: Int32Array;
  doubles: Float64Array;

  constructor(memory: LinearMemory) {
    this.#memory = memory;
    this.bytes = new Uint8Array(memory.buffer);
    this.limbs = new BigUint64Array(memory.buffer);
    this.integers = new Int32Array(memory.buffer);
    this.doubles = new Float64Array(memory.buffer);
  }

  /** Updates the views if compiled code has grown the memory. */
  follow(): void {
    // Growth detaches the old buffer, so its views are empty. Reading `memory.buffer` takes longer.
    if (this.integers.length > 0) return;
    const { buffer } = this.#memory;
    this.bytes = new Uint8Array(buffer);
    this.limbs = new BigUint64Array(buffer);
    this.integers = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
  }

  /** Grows the memory to an end. Returns false if it cannot grow. */
  reach(end: number): boolean {
    const missing = end - this.bytes.length;
    if (missing <= 0) return true;
    try {
      this.#memory.grow(Math.ceil(missing / pageBytes) + sparePages);
    } catch {
      return false;
    }
    this.follow();
    return true;
  }
}

/** A frame whose stack and memory are in the linear memory, for compiled code. */
export class CompiledFrame extends Frame {
  readonly #shared: SharedMemory;
  readonly #base: number;
  readonly #memoryBase: number;
  readonly code: ReadyCode;
  /** The rest of the frame is interpreted, and the stack is in the array. */
  isInterpreted = false;
  #bytes: Uint8Array | undefined;
  #bytesView: DataView | undefined;

  /** @param base where its region begins; {@link roomFor} has been made there */
  constructor(options: FrameOptions, code: ReadyCode, shared: SharedMemory, base: number) {
    super(options);
    this.code = code;
    this.#shared = shared;
    this.#base = base;
    const { limbs, integers } = shared;
    const { data } = options;
    const dataAt = base + region.data;
    this.#memoryBase = memoryBaseOf(base, data.length);
    putAddress(integers, (base + region.address) / 4, options.address);
    putAddress(integers, (base + region.caller) / 4, options.caller);
    putWord(limbs, (base + region.value) / 8, options.value);
    // First the zeros, which begin within the last integer of the data.
    for (let at = (dataAt + data.length) >> 2; at < this.#memoryBase >> 2; at++) integers[at] = 0;
    const reused = shared.inputs[options.depth - 1];
    if (reused === undefined) copyInto(shared.bytes, dataAt, data, 0, data.length);
    else reused.copyTo(shared, dataAt, data);
  }

  /** Start of the region of a frame that this one calls. */
  override get regionEnd(): number {
    return this.#memoryBase + this.memorySize;
  }

  override get memory(): Uint8Array {
    const { buffer } = this.#shared.bytes;
    if (this.#bytes === undefined || this.#bytes.length !== this.memorySize || this.#bytes.buffer !== buffer) {
      this.#bytes = new Uint8Array(buffer, this.#memoryBase, this.memorySize);
      this.#bytesView = undefined;
    }
    return this.#bytes;
  }

  override get view(): DataView {
    const bytes = this.memory;
    this.#bytesView ??= viewOf(bytes);
    return this.#bytesView;
  }

  override get integers(): Int32Array {
    return this.isInterpreted ? super.integers : this.#shared.integers;
  }

  override popWord(which: 0 | 1): number {
    if (this.isInterpreted) return super.popWord(which);
    return this.#limbOf(--this.sp) * 2;
  }

  override pushWord(source: Int32Array, at: number): void {
    if (this.isInterpreted) {
      super.pushWord(source, at);
      return;
    }
    const to = this.#limbOf(this.sp++) * 2;
    const { integers } = this.#shared;
    for (let index = 0; index < wordIntegers; index++) integers[to + index] = source[at + index] as number;
  }

  override writeMemory(at: number, bytes: Uint8Array): void {
    copyInto(this.#shared.bytes, this.#memoryBase + at, bytes, 0, bytes.length);
  }

  override copyMemory(at: number, length: number): Uint8Array {
    return copyOf(this.#shared.bytes, this.#memoryBase + at, length);
  }

  override copyInput(at: number, length: number): Uint8Array {
    const reused = this.#shared.inputs[this.depth];
    return reused?.copyOf(this.#shared, this.#memoryBase + at, length) ?? this.copyMemory(at, length);
  }

  override copyOutput(at: number, length: number): Uint8Array {
    // The output of the message, and a deployed code, outlive the message.
    if (this.depth === 1 || this.kind === 'create') return this.copyMemory(at, length);
    return this.#shared.output.copyOf(this.#shared, this.#memoryBase + at, length);
  }

  override takeOutput(output: Uint8Array): void {
    if (output.length <= this.outputLength)
      this.#shared.output.copyTo(this.#shared, this.#memoryBase + this.outputAt, output);
    else super.takeOutput(output);
  }

  override readMemory(at: number, length: number, target: Uint8Array, targetAt: number): void {
    copyInto(target, targetAt, this.#shared.bytes, this.#memoryBase + at, length);
  }

  /** Runs from a block. Returns one of `exits`, and sets `pc` to the code offset. */
  run(block: number): number {
    const { integers, doubles } = this.#shared;
    this.giveState();
    doubles[header.floor / 8] = this.floor;
    doubles[header.least / 8] = this.meter.isPaced ? 0 : this.floor;
    integers[header.base / 4] = this.#base;
    integers[header.memoryBase / 4] = this.#memoryBase;
    integers[header.dataBase / 4] = this.#base + region.data;
    integers[header.dataSize / 4] = this.data.length;
    integers[header.returnDataSize / 4] = this.returnData.length;
    const exit = this.code.run(block);
    this.takeState();
    this.pc = this.#shared.integers[header.pc / 4] as number;
    return exit;
  }

  /** Reads gas, stack top and memory size from the header. */
  takeState(): void {
    const shared = this.#shared;
    shared.follow();
    this.gas = shared.doubles[header.gas / 8] as number;
    this.memorySize = shared.integers[header.memorySize / 4] as number;
    this.sp = ((shared.integers[header.stackTop / 4] as number) - this.#base - region.stack) / wordBytes;
  }

  /** Writes gas, stack top and memory size to the header. */
  giveState(): void {
    const { integers, doubles } = this.#shared;
    doubles[header.gas / 8] = this.gas;
    integers[header.stackTop / 4] = this.#base + region.stack + this.sp * wordBytes;
    integers[header.memorySize / 4] = this.memorySize;
  }

  override pop(): bigint {
    if (this.isInterpreted) return super.pop();
    return this.#word(--this.sp);
  }

  override popNumber(): number {
    if (this.isInterpreted) return super.popNumber();
    const { integers } = this.#shared;
    const at = this.#limbOf(--this.sp) * 2;
    // A call pops seven numbers, and a loop takes twice as long.
    const high =
      (integers[at + 2] as number) |
      (integers[at + 3] as number) |
      (integers[at + 4] as number) |
      (integers[at + 5] as number) |
      (integers[at + 6] as number) |
      (integers[at + 7] as number);
    if (high !== 0) return beyondNumbers;
    return ((integers[at + 1] as number) >>> 0) * 2 ** 32 + ((integers[at] as number) >>> 0);
  }

  override popAddress(): Address {
    if (this.isInterpreted) return super.popAddress();
    return addressAt(this.#shared.integers, this.#limbOf(--this.sp) * 2);
  }

  override push(word: bigint): void {
    if (this.isInterpreted) super.push(word);
    else putWord(this.#shared.limbs, this.#limbOf(this.sp++), word);
  }

  /** Copies the stack to the array, for the interpreter. */
  leaveToInterpreter(): void {
    for (let index = 0; index < this.sp; index++) this.stack[index] = this.#word(index);
    this.isInterpreted = true;
  }

  /** Copies the state of an interpreted frame. Returns false if memory cannot grow. */
  takeOver(frame: Frame): boolean {
    const { sp, memorySize } = frame;
    if (!this.#shared.reach(this.#memoryBase + memorySize)) return false;
    for (let index = 0; index < sp; index++)
      putWord(this.#shared.limbs, this.#limbOf(index), frame.stack[index] as bigint);
    this.#shared.bytes.set(frame.memory.subarray(0, memorySize), this.#memoryBase);
    const { gas, pc, returnData, outputAt, outputLength } = frame;
    Object.assign(this, { sp, memorySize, gas, pc, returnData, outputAt, outputLength });
    return true;
  }

  protected override grow(before: number): void {
    if (!this.#shared.reach(this.regionEnd))
      throw new RangeError('The linear memory cannot grow for this call. Give the call less gas.');
    this.#shared.bytes.fill(0, this.#memoryBase + before, this.regionEnd);
  }

  #limbOf(index: number): number {
    return (this.#base + region.stack + index * wordBytes) / 8;
  }

  #word(index: number): bigint {
    const { limbs } = this.#shared;
    const at = this.#limbOf(index);
    const low = limbs[at] as bigint;
    const second = limbs[at + 1] as bigint;
    const third = limbs[at + 2] as bigint;
    const high = limbs[at + 3] as bigint;
    if (third === 0n && high === 0n) return second === 0n ? low : (second << 64n) | low;
    return (((high << 64n) | third) << 128n) | (second << 64n) | low;
  }
}

/** Start of a frame's memory. Linear memory must reach it before the frame is created. */
export function memoryBaseOf(base: number, dataBytes: number): number {
  return (base + region.data + dataBytes + wordBytes + 31) & ~31;
}

function putAddress(integers: Int32Array, at: number, address: Uint8Array): void {
  for (let index = 0, from = 16; index < addressIntegers; index++, from -= 4)
    integers[at + index] =
      ((address[from] as number) << 24) |
      ((address[from + 1] as number) << 16) |
      ((address[from + 2] as number) << 8) |
      (address[from + 3] as number);
  for (let index = addressIntegers; index < wordIntegers; index++) integers[at + index] = 0;
}

function putWord(limbs: BigUint64Array, at: number, word: bigint): void {
  if (word <= limbMask) {
    limbs[at] = word;
    limbs[at + 1] = 0n;
    limbs[at + 2] = 0n;
    limbs[at + 3] = 0n;
    return;
  }
  limbs[at] = word & limbMask;
  limbs[at + 1] = (word >> 64n) & limbMask;
  limbs[at + 2] = (word >> 128n) & limbMask;
  limbs[at + 3] = word >> 192n;
}
