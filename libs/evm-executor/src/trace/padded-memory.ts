/** How far beyond the end of memory geth's tracers read zeros. */
const paddingMax = 2n ** 20n;

/**
 * The memory that a step is about to use, of which the end may not be there yet: zeros, up to a bound beyond which geth's
 * tracers give up (internal.GetMemoryCopyPadded). Places count in signed 64 bits, as there.
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
