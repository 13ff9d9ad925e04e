import { createHash } from 'node:crypto';

/** Bytes hashed in one turn of the event loop: about a millisecond. */
const sliceBytes = 1024 * 1024;

/** SHA-256 of parts, computed in slices so that other work runs in between. */
export async function sha256InSlices(parts: readonly Uint8Array[]): Promise<Buffer> {
  const hash = createHash('sha256');
  let sinceYield = 0;
  for (const part of parts)
    for (let offset = 0; offset < part.length; offset += sliceBytes) {
      const slice = part.subarray(offset, offset + sliceBytes);
      hash.update(slice);
      sinceYield += slice.length;
      if (sinceYield < sliceBytes) continue;
      sinceYield = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
  return hash.digest();
}
