import { hexDigitsFromBytes } from '@cairn/platform';
import { CorruptNodeError } from './errors.ts';

/** Splits bytes into half bytes, the high one first. Each nibble of a key selects a child of a branch. */
export function nibblesOf(key: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(key.length * 2);
  for (let at = 0; at < key.length; at++) {
    const byte = key[at] as number;
    nibbles[2 * at] = byte >> 4;
    nibbles[2 * at + 1] = byte & 15;
  }
  return nibbles;
}

/** Joins nibbles to bytes. Their number must be even. */
export function bytesOfNibbles(nibbles: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(nibbles.length >> 1);
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = ((nibbles[2 * at] as number) << 4) | (nibbles[2 * at + 1] as number);
  return bytes;
}

/** Hex-prefix encoding: one flag for leaves and one for odd lengths precede the path (Yellow Paper, appendix C). */
export function encodePath(nibbles: Uint8Array, isLeaf: boolean): Uint8Array {
  const isOdd = nibbles.length % 2 === 1;
  const encoded = new Uint8Array((nibbles.length >> 1) + 1);
  encoded[0] = (isLeaf ? 0x20 : 0) | (isOdd ? 0x10 | (nibbles[0] as number) : 0);
  for (let at = isOdd ? 1 : 0, to = 1; at < nibbles.length; at += 2, to++)
    encoded[to] = ((nibbles[at] as number) << 4) | (nibbles[at + 1] as number);
  return encoded;
}

/** Decodes the hex-prefix encoding. @throws BLOCK_CORRUPT for undefined flags or a padding other than zero */
export function decodePath(encoded: Uint8Array): { readonly nibbles: Uint8Array; readonly isLeaf: boolean } {
  const first = encoded[0] ?? 0xff;
  const isOdd = (first & 0x10) !== 0;
  if (first > 0x3f || (!isOdd && (first & 15) !== 0))
    throw new CorruptNodeError('(inline)', 'a hex-prefix path', `0x${hexDigitsFromBytes(encoded)}`);
  return { nibbles: nibblesOf(encoded).subarray(isOdd ? 1 : 2), isLeaf: (first & 0x20) !== 0 };
}

/** Counts the leading nibbles of `path` that equal those of `key` from `at` on. */
export function sharedLength(path: Uint8Array, key: Uint8Array, at: number): number {
  let length = 0;
  while (length < path.length && path[length] === key[at + length]) length++;
  return length;
}
