import { CID } from 'multiformats/cid';

/** Reports whether the bytes from `start` to `end` are exactly one CID. */
export function isCidAt(bytes: Uint8Array, start: number, end: number): boolean {
  // Fast path without an allocation: sha2-256 of 32 bytes, in version 0, or in version 1 with a one-byte codec.
  const length = end - start;
  if (length === 36 && bytes[start] === 1 && (bytes[start + 1] ?? 128) < 128)
    if (bytes[start + 2] === 0x12 && bytes[start + 3] === 32) return true;
  if (length === 34 && bytes[start] === 0x12 && bytes[start + 1] === 32) return true;
  try {
    return length > 0 && CID.inspectBytes(bytes.subarray(start, end)).size === length;
  } catch {
    return false;
  }
}
