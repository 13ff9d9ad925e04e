// Hot path: inputs and outputs of calls. Bench: `node tools/bench/peers.mjs --only "calls in calls"`.
import { copyInto, copyOf } from '../interpreter/copies.ts';

/** Longer arrays are new ones, so that an instance keeps 80 KiB at most. */
const lengthMax = 256;

/** Bytes in linear memory, as bytes and as integers. */
export interface MemoryViews {
  readonly bytes: Uint8Array;
  readonly integers: Int32Array;
}

/**
 * Arrays that are used again, one of each length: making an array takes longer than filling it. Aligned bytes are copied four at a
 * time, without a call of native code.
 */
export class ReusedBytes {
  readonly #arrays: (MemoryViews | undefined)[] = new Array(lengthMax + 1).fill(undefined);
  #last: MemoryViews | undefined;

  /** Copies a part of memory. The next copy of this length overwrites the array. */
  copyOf(source: MemoryViews, from: number, length: number): Uint8Array {
    if (length === 0 || length > lengthMax) return copyOf(source.bytes, from, length);
    const copy = this.#arrays[length] ?? this.#make(length);
    copyMemory(copy, 0, source, from, length);
    this.#last = copy;
    return copy.bytes;
  }

  /** Copies an array to memory. */
  copyTo(target: MemoryViews, at: number, bytes: Uint8Array): void {
    const last = this.#last;
    if (last !== undefined && last.bytes === bytes) copyMemory(target, at, last, 0, bytes.length);
    else copyInto(target.bytes, at, bytes, 0, bytes.length);
  }

  #make(length: number): MemoryViews {
    const buffer = new ArrayBuffer((length + 3) & ~3);
    const made = { bytes: new Uint8Array(buffer, 0, length), integers: new Int32Array(buffer) };
    this.#arrays[length] = made;
    return made;
  }
}

function copyMemory(target: MemoryViews, at: number, source: MemoryViews, from: number, length: number): void {
  let done = 0;
  if (((at | from) & 3) === 0) {
    const to = at >> 2;
    const start = from >> 2;
    const count = length >> 2;
    for (let index = 0; index < count; index++) target.integers[to + index] = source.integers[start + index] as number;
    done = count << 2;
  }
  for (let index = done; index < length; index++) target.bytes[at + index] = source.bytes[from + index] as number;
}
