import type { BufferPool } from '@cairn/blockstore/core';
import { allocateBytes, copyBytes } from '@cairn/platform';
import { RefusedOptionError } from './errors.ts';

/** Kubo's default chunk: 256 KiB. */
export const defaultChunkBytes = 262_144;

/** Maximum length of a chunk in bytes. With its dag-pb frame a leaf must stay below 2 MiB, the block limit of peers. */
export const chunkBytesMax = 2 * 1024 * 1024 - 256;

/**
 * Parses a fixed-size chunker in Kubo's notation: `size-<bytes>` or `default`. Returns the chunk size. @throws
 * OPTION_INVALID with Kubo's message
 */
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

/** Parses a number as Go's `strconv.Atoi` does. @throws OPTION_INVALID with Go's message */
export function parseGoDecimal(text: string): number {
  const quoted = `strconv.Atoi: parsing ${JSON.stringify(text.slice(0, 100))}`;
  if (!/^[+-]?\d+$/.test(text)) throw new RefusedOptionError('chunker', `${quoted}: invalid syntax`);
  const value = BigInt.asIntN(64, BigInt(text.slice(0, 30).replace('+', '')));
  if (text.length > 30 || BigInt(text.replace('+', '')) !== value) {
    throw new RefusedOptionError('chunker', `${quoted}: value out of range`);
  }
  return Number(value);
}

/** Initial buffer of a stream. Most files are small, and allocating a whole chunk for each is expensive. */
const firstBufferBytes = 8 * 1024;
const bufferGrowth = 8;

// Uses the same class as all other buffers of this loop: mixed classes make it slower.
const noBytes = allocateBytes(0);

/**
 * Splits a stream into chunks of `chunkBytes`; the last one can be shorter. Copies each byte once or twice, and yields no
 * empty chunk.
 * @param buffers lends the buffers of full chunks. The consumer gives each one back.
 */
export async function* chunksOf(
  source: AsyncIterable<Uint8Array>,
  chunkBytes: number,
  buffers?: BufferPool,
): AsyncGenerator<Uint8Array> {
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
      // Allocates a whole chunk, since a stream with one full chunk is likely to have another.
      chunk = buffers?.take(chunkBytes) ?? allocateBytes(chunkBytes);
      filled = 0;
    }
  }
  // Copies the chunk at its own length, so that a small file does not keep a whole chunk in memory.
  const last = filled === chunk.length ? chunk : copyBytes(chunk.subarray(0, filled));
  if (last !== chunk) buffers?.giveBack(chunk);
  if (filled > 0) yield last;
}

/** Returns a buffer with the same content and room for `needed` bytes, at most the size of a chunk. */
function grown(chunk: Uint8Array, filled: number, needed: number, chunkBytes: number): Uint8Array {
  let size = Math.max(chunk.length * bufferGrowth, firstBufferBytes);
  while (size < needed) size *= bufferGrowth;
  const larger = allocateBytes(Math.min(size, chunkBytes));
  larger.set(chunk.subarray(0, filled));
  return larger;
}
