import { hexDigitsFromBytes } from '@cairn/platform';
/** Largest word. Words of the EVM are bigints from 0 to 2^256 - 1. */
export const wordMax = (1n << 256n) - 1n;
const signBit = 1n << 255n;
const modulus = 1n << 256n;
const limbMask = (1n << 64n) - 1n;

/** Word as a signed number (two's complement). */
export function signed(word: bigint): bigint {
  return word >= signBit ? word - modulus : word;
}

/** Signed number as a word. */
export function unsigned(number: bigint): bigint {
  return BigInt.asUintN(256, number);
}

/** Returns big-endian bytes as a number; 0 for no bytes. */
export function wordFromBytes(bytes: Uint8Array): bigint {
  const { length } = bytes;
  if (length === 0) return 0n;
  if (length <= 6) {
    let number = 0;
    for (let at = 0; at < length; at++) number = number * 256 + (bytes[at] ?? 0);
    return BigInt(number);
  }
  return BigInt(`0x${hexDigitsFromBytes(bytes)}`);
}

/** Returns the word of the 32 bytes at an offset. Bytes beyond the end are zeros. */
export function readWord(bytes: Uint8Array, at: number): bigint {
  if (at >= bytes.length) return 0n;
  if (at + 32 > bytes.length) {
    const padded = new Uint8Array(32);
    padded.set(bytes.subarray(at));
    return wordAt(viewOf(padded), 0);
  }
  return wordAt(viewOf(bytes), at);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns the word at an offset of a view. Small words, the common case, take fewer bigint operations. */
export function wordAt(view: DataView, at: number): bigint {
  const high = view.getBigUint64(at);
  const second = view.getBigUint64(at + 8);
  const third = view.getBigUint64(at + 16);
  const low = view.getBigUint64(at + 24);
  if (high === 0n && second === 0n) return third === 0n ? low : (third << 64n) | low;
  return (((high << 64n) | second) << 128n) | (third << 64n) | low;
}

/** Writes a word to a view. */
export function putWord(view: DataView, at: number, word: bigint): void {
  if (word <= limbMask) {
    view.setBigUint64(at, 0n);
    view.setBigUint64(at + 8, 0n);
    view.setBigUint64(at + 16, 0n);
    view.setBigUint64(at + 24, word);
    return;
  }
  view.setBigUint64(at, word >> 192n);
  view.setBigUint64(at + 8, (word >> 128n) & limbMask);
  view.setBigUint64(at + 16, (word >> 64n) & limbMask);
  view.setBigUint64(at + 24, word & limbMask);
}

const scratch = new Uint8Array(32);
const scratchView = viewOf(scratch);

/** Word as 32 bytes. */
export function wordBytes(word: bigint): Uint8Array {
  putWord(scratchView, 0, word);
  return scratch.slice();
}

/** Part of bytes, with zeros beyond their end. `at` may be any number. */
export function paddedSlice(bytes: Uint8Array, at: number, length: number): Uint8Array {
  if (at >= bytes.length) return new Uint8Array(length);
  if (at + length <= bytes.length) return bytes.subarray(at, at + length);
  const padded = new Uint8Array(length);
  padded.set(bytes.subarray(at));
  return padded;
}

/** Number of leading zero bits (EIP-7939). */
export function leadingZeros(word: bigint): bigint {
  return word === 0n ? 256n : BigInt(256 - word.toString(2).length);
}

/** `base` to the power of `exponent`, modulo 2^256. */
export function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = BigInt.asUintN(256, result * square);
    square = BigInt.asUintN(256, square * square);
  }
  return result;
}

/** Returns the length of a number in bytes; 0 for 0. */
export function byteLength(word: bigint): number {
  return word === 0n ? 0 : Math.ceil(word.toString(16).length / 2);
}
