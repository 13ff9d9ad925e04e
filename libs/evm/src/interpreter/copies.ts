const noBytes = new Uint8Array(0);
/** Longer copies get an array of their own. A short copy keeps its whole slab alive. */
const shortBytesMax = 512;
/** Up to this length a loop is faster than `set`, which calls native code. */
const loopedBytesMax = 96;
const slabBytes = 32 * 1024;
let slab = noBytes;
let used = 0;

/**
 * Copies a part of bytes. Short copies, such as inputs and outputs of calls, are parts of a slab: see {@link newBytes}.
 */
export function copyOf(source: Uint8Array, from: number, length: number): Uint8Array {
  if (length === 0) return noBytes;
  if (length > shortBytesMax) return source.slice(from, from + length);
  const copy = newBytes(length);
  copyInto(copy, 0, source, from, length);
  return copy;
}

/**
 * Returns new bytes, all zeros. Short ones are parts of a slab: an array of its own with more than 64 bytes costs an allocation
 * outside the heap, about a microsecond, and as much time again for its collection.
 */
export function newBytes(length: number): Uint8Array {
  if (length > shortBytesMax) return new Uint8Array(length);
  if (used + length > slab.length) {
    slab = new Uint8Array(slabBytes);
    used = 0;
  }
  const bytes = slab.subarray(used, used + length);
  used += length;
  return bytes;
}

/** Copies a part of bytes into other bytes. */
export function copyInto(target: Uint8Array, at: number, source: Uint8Array, from: number, length: number): void {
  if (length > loopedBytesMax) {
    target.set(source.subarray(from, from + length), at);
    return;
  }
  for (let index = 0; index < length; index++) target[at + index] = source[from + index] as number;
}
