import { createHash } from 'node:crypto';

/** Bytes of a key of the DHT. */
export const keyBytes = 32;

/** Bits of a sector: the schedule works in one region per sector at a time. */
export const sectorBits = 4;

/** Number of sectors of the keyspace. */
export const sectorCount = 1 << sectorBits;

/** Keys with a common prefix. Bits of `start` after the prefix are zero. */
export interface Region {
  readonly start: Uint8Array;
  readonly bits: number;
}

/** Returns the position in the keyspace of the DHT: SHA-256 of the multihash of content, or of a peer ID. */
export function keyOf(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}

export function sectorOf(key: Uint8Array): number {
  return (key[0] ?? 0) >> (8 - sectorBits);
}

/** Returns the region of the keys that share the first bits of a key. */
export function regionOf(key: Uint8Array, bits: number): Region {
  const start = new Uint8Array(keyBytes);
  const whole = bits >> 3;
  start.set(key.subarray(0, whole));
  if (bits & 7) start[whole] = (key[whole] ?? 0) & (0xff << (8 - (bits & 7)));
  return { start, bits };
}

export function isInRegion(key: Uint8Array, { start, bits }: Region): boolean {
  return commonPrefixBits(key, start) >= bits;
}

/** Returns the number of leading bits that two keys share. */
export function commonPrefixBits(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < keyBytes; at++) {
    const difference = (a[at] ?? 0) ^ (b[at] ?? 0);
    if (difference !== 0) return at * 8 + Math.clz32(difference) - 24;
  }
  return keyBytes * 8;
}

/** Returns the first key after a region, or undefined if the region reaches the end of the keyspace. */
export function regionEnd({ start, bits }: Region): Uint8Array | undefined {
  if (bits === 0) return undefined;
  const end = Uint8Array.from(start);
  let carry = 1 << (7 - ((bits - 1) & 7));
  for (let at = (bits - 1) >> 3; at >= 0 && carry > 0; at--) {
    const sum = (end[at] ?? 0) + carry;
    end[at] = sum & 0xff;
    carry = sum >> 8;
  }
  return carry > 0 ? undefined : end;
}

/** Returns the sibling of the region with one more bit: the same prefix with its last bit changed. */
export function siblingOf(key: Uint8Array, bits: number): Region {
  const { start } = regionOf(key, bits);
  const last = bits - 1;
  start[last >> 3] = (start[last >> 3] ?? 0) ^ (1 << (7 - (last & 7)));
  return { start, bits };
}

/** Compares the distances of two keys to a target: negative if `a` is closer. */
export function compareDistance(target: Uint8Array, a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < keyBytes; at++) {
    const wanted = target[at] ?? 0;
    const difference = ((a[at] ?? 0) ^ wanted) - ((b[at] ?? 0) ^ wanted);
    if (difference !== 0) return difference;
  }
  return 0;
}
