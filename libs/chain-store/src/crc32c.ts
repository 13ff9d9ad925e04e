const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  // Castagnoli polynomial with reversed bits.
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value;
});

/** Computes CRC-32C (RFC 3720, appendix B.4) as an unsigned 32-bit number. `crc32` of Node has another polynomial. */
export function crc32c(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] ?? 0);
  return ~value >>> 0;
}

/** Computes the checksum of snappy frames: rotated and offset, since a checksum of data that contains checksums is weak. */
export function maskedCrc32c(bytes: Uint8Array): number {
  const value = crc32c(bytes);
  return (((value >>> 15) | (value << 17)) + 0xa282ead8) >>> 0;
}
