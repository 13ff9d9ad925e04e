const scratch = Buffer.alloc(32);

/** One character per byte, 32 at most: the cheapest key of bytes that a Map takes. */
export function keyOf(bytes: Uint8Array): string {
  scratch.set(bytes);
  return scratch.toString('latin1', 0, bytes.length);
}

/** The bytes that a key stands for. */
export function bytesOfKey(key: string): Uint8Array {
  return Buffer.from(key, 'latin1');
}
