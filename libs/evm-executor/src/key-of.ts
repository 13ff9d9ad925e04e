/** One character per byte: the cheapest key of bytes that a Map takes. */
export function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The bytes that a key stands for. */
export function bytesOfKey(key: string): Uint8Array {
  return Buffer.from(key, 'latin1');
}
