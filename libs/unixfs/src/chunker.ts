import { allocateBytes, copyBytes } from '@cairn/platform';
import { RefusedOptionError } from './errors.ts';

/** Kubo's default chunk: 256 KiB. */
export const defaultChunkBytes = 262_144;

/** The longest chunk: with its dag-pb frame a leaf must stay under the 2 MiB that peers take. */
export const chunkBytesMax = 2 * 1024 * 1024 - 256;

/** The chunk size of a fixed-size chunker in Kubo's notation: `size-<bytes>` or `default`. @throws OPTION_INVALID, in Kubo's words */
export function parseChunker(chunker: string): number {
  if (chunker === '' || chunker === 'default') return defaultChunkBytes;
  const [name, size, ...others] = chunker.split('-');
  if (name !== 'size') throw new RefusedOptionError('chunker', `unrecognized chunker option: ${chunker.slice(0, 100)}`);
  if (size === undefined || others.length > 0) {
    throw new RefusedOptionError('chunker', 'incorrect chunker string format (expected size-{size})');
  }
  const bytes = parseGoDecimal(size);
  if (bytes <= 0) throw new RefusedOptionError('chunker', 'chunker size must be greater than 0');
  if (bytes > chunkBytesMax) {
    const message = `chunker parameters may not exceed the maximum chunk size of ${chunkBytesMax}`;
    throw new RefusedOptionError('chunker', message);
  }
  return bytes;
}

/** Reads a number as Go's `strconv.Atoi` does. @throws OPTION_INVALID, in Go's words */
export function parseGoDecimal(text: string): number {
  const quoted = `strconv.Atoi: parsing ${JSON.stringify(text.slice(0, 100))}`;
  if (!/^[+-]?\d+$/.test(text)) throw new RefusedOptionError('chunker', `${quoted}: invalid syntax`);
  const value = BigInt.asIntN(64, BigInt(text.slice(0, 30).replace('+', '')));
  if (text.length > 30 || BigInt(text.replace('+', '')) !== value) {
    throw new RefusedOptionError('chunker', `${quoted}: value out of range`);
  }
  return Number(value);
}

/** A stream begins with a buffer of this size: most files are small, and a whole chunk of memory for each is dear. */
const firstBufferBytes = 8 * 1024;
const bufferGrowth = 8;

// Uses the class of all other buffers here: mixed classes make the loop slower.
const noBytes = allocateBytes(0);

/** Cuts a stream into chunks of `chunkBytes`, the last one shorter. Copies each byte once or twice; yields no empty chunk. */
export async function* chunksOf(source: AsyncIterable<Uint8Array>, chunkBytes: number): AsyncGenerator<Uint8Array> {
  let chunk = noBytes;
  let filled = 0;
  for await (const bytes of source) {
    for (let at = 0; at < bytes.length; ) {
      const length = Math.min(chunkBytes - filled, bytes.length - at);
      if (filled + length > chunk.length) chunk = grown(chunk, filled, filled + length, chunkBytes);
      chunk.set(at === 0 && length === bytes.length ? bytes : bytes.subarray(at, at + length), filled);
      filled += length;
      at += length;
      if (filled < chunkBytes) continue;
      yield chunk;
      // A stream that had one full chunk is likely to have another.
      chunk = allocateBytes(chunkBytes);
      filled = 0;
    }
  }
  // A copy of its own length, so that a small file does not hold a whole chunk of memory.
  if (filled > 0) yield filled === chunk.length ? chunk : copyBytes(chunk.subarray(0, filled));
}

/** A buffer that holds what is there and has room for `needed` bytes, of the size of a chunk at most. */
function grown(chunk: Uint8Array, filled: number, needed: number, chunkBytes: number): Uint8Array {
  let size = Math.max(chunk.length * bufferGrowth, firstBufferBytes);
  while (size < needed) size *= bufferGrowth;
  const larger = allocateBytes(Math.min(size, chunkBytes));
  larger.set(chunk.subarray(0, filled));
  return larger;
}
