import { viewOf } from '../interpreter/words.ts';
import { wordIntegers } from './slot-table.ts';

const noBytes = new Uint8Array(0);
const scratch = new Uint8Array(32);
const scratchView = viewOf(scratch);

/** Reads up to 32 big-endian bytes into a word of eight integers, least significant first. */
export function readWordBytes(bytes: Uint8Array, word: Int32Array): void {
  let end = bytes.length;
  for (let index = 0; index < wordIntegers; index++, end -= 4)
    word[index] =
      ((bytes[end - 4] ?? 0) << 24) |
      ((bytes[end - 3] ?? 0) << 16) |
      ((bytes[end - 2] ?? 0) << 8) |
      (bytes[end - 1] ?? 0);
}

/** Writes the word at `source[at]` as 32 big-endian bytes. */
export function writeWordBytes(source: Int32Array, at: number, view: DataView): void {
  for (let index = 0; index < wordIntegers; index++) view.setInt32(28 - 4 * index, source[at + index] as number);
}

/** The word at `source[at]` as big-endian bytes without leading zeros. */
export function trimmedWordBytes(source: Int32Array, at: number): Uint8Array {
  writeWordBytes(source, at, scratchView);
  let start = 0;
  while (start < 32 && scratch[start] === 0) start++;
  return start === 32 ? noBytes : new Uint8Array(scratch.subarray(start));
}
