/** Major types of CBOR (RFC 8949, section 3.1). */
export const majors = { integer: 0, bytes: 2, text: 3, list: 4, map: 5, tag: 6 };

/** Head of a CBOR item in its shortest form. */
export function head(major, value) {
  if (value < 24) return [(major << 5) | value];
  if (value < 0x100) return [(major << 5) | 24, value];
  if (value < 0x10000) return [(major << 5) | 25, value >> 8, value & 0xff];
  return [(major << 5) | 26, (value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}

/** An unsigned LEB128 number, as in protobuf and CAR. */
export function varint(value) {
  const bytes = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left];
    bytes.push((left % 128) | 0x80);
  }
}

/** A field of protobuf with bytes. */
export function pbField(number, bytes) {
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(bytes.length)]), bytes]);
}
