const noBytes = new Uint8Array(0);
/** Longer ones get an array of their own: who keeps a small one keeps its slab. */
const shortBytesMax = 512;
/** Up to here a loop is faster than a copy that leaves JavaScript. */
const loopedBytesMax = 96;
const slabBytes = 32 * 1024;
let slab = noBytes;
let used = 0;

/**
 * A copy of a part of bytes. Short ones, such as inputs and outputs of calls, are cut from slabs: an array of its own takes a
 * malloc, and its collection as long again.
 */
export function copyOf(source: Uint8Array, from: number, length: number): Uint8Array {
  if (length === 0) return noBytes;
  if (length > shortBytesMax) return source.slice(from, from + length);
  if (used + length > slab.length) {
    slab = new Uint8Array(slabBytes);
    used = 0;
  }
  const copy = slab.subarray(used, used + length);
  used += length;
  copyInto(copy, 0, source, from, length);
  return copy;
}

/** Copies a part of bytes to a place in others. */
export function copyInto(target: Uint8Array, at: number, source: Uint8Array, from: number, length: number): void {
  if (length > loopedBytesMax) {
    target.set(source.subarray(from, from + length), at);
    return;
  }
  for (let index = 0; index < length; index++) target[at + index] = source[from + index] as number;
}
