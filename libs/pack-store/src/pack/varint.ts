/** Largest length of a varint that this package accepts: 2^35 is more than any pack. */
const varintBytesMax = 5;

/** Returns the length of an unsigned LEB128 varint. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
  return length;
}

/** Writes a varint at an offset and returns the offset after it. */
export function writeVarint(target: Uint8Array, offset: number, value: number): number {
  let position = offset;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) target[position++] = (rest % 0x80) | 0x80;
  target[position++] = rest;
  return position;
}

/** Reads a varint; undefined if it is cut off, too long, or not of minimal length. */
export function readVarint(source: Uint8Array, offset: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let length = 1, factor = 1; length <= varintBytesMax; length++, factor *= 0x80) {
    const byte = source[offset + length - 1];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * factor;
    if (byte >= 0x80) continue;
    return byte === 0 && length > 1 ? undefined : { value, end: offset + length };
  }
  return undefined;
}
