/** Maximum number of zeros that geth's tracers read beyond the end of memory. */
const paddingMax = 2n ** 20n;

/**
 * Copies a range of memory, with zeros beyond its end (geth's internal.GetMemoryCopyPadded). Returns `undefined` beyond
 * {@link paddingMax}. Offsets are signed 64-bit integers, as in geth.
 */
export function paddedMemory(memory: Uint8Array, at: bigint, length: bigint): Uint8Array | undefined {
  const offset = BigInt.asIntN(64, at);
  const size = BigInt.asIntN(64, length);
  if (offset < 0n || size < 0n) return undefined;
  const end = BigInt.asIntN(64, offset + size);
  const held = BigInt(memory.length);
  if (end < held) return end < offset ? new Uint8Array(0) : memory.slice(Number(offset), Number(end));
  if (end - held > paddingMax) return undefined;
  const bytes = new Uint8Array(Number(size));
  if (offset < held) bytes.set(memory.subarray(Number(offset)));
  return bytes;
}
