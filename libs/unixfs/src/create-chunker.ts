import type { BufferPool } from '@cairn/blockstore/core';
import { buzhashBytes, cutBuzhash } from './buzhash.ts';
import { chunkBytesMax, chunksOf, defaultChunkBytes, parseChunker, parseGoDecimal } from './chunker.ts';
import { cutChunks } from './cut-chunks.ts';
import { RefusedOptionError } from './errors.ts';
import { createRabinCut, type RabinBounds, rabinMinBytes } from './rabin.ts';

/** Splits a stream into the chunks that become leaves. Yields no empty chunk. Chunks may be in buffers of the pool. */
export type Chunker = (source: AsyncIterable<Uint8Array>, buffers?: BufferPool) => AsyncIterable<Uint8Array>;

/**
 * Creates a chunker from Kubo's notation: `size-<bytes>`, `rabin`, `rabin-<average>`, `rabin-<min>-<average>-<max>`,
 * `buzhash` or `default`. The cut points do not depend on how the input is split into pieces.
 * @throws OPTION_INVALID with Kubo's message
 */
export function createChunker(notation: string): Chunker {
  const [name] = notation.split('-', 1);
  // Kubo ignores parameters of buzhash.
  if (name === 'buzhash') return (source) => cutChunks(source, { bytesMax: buzhashBytes.max, cut: cutBuzhash });
  if (name === 'rabin') {
    const bounds = parseRabin(notation.split('-').slice(1));
    if (bounds.min < rabinMinBytes) return onlyChunk;
    const cut = createRabinCut(bounds);
    return (source) => cutChunks(source, { bytesMax: bounds.max, cut });
  }
  const chunkBytes = parseChunker(notation);
  return (source, buffers) => chunksOf(source, chunkBytes, buffers);
}

function parseRabin(parameters: readonly string[]): RabinBounds {
  if (parameters.length === 0) return boundsAround(defaultChunkBytes);
  if (parameters.length === 1) {
    const average = parseGoDecimal(parameters[0] ?? '');
    // Kubo multiplies as float32.
    if (Math.trunc(Math.fround(Math.fround(average) * 1.5)) > chunkBytesMax) throw tooLarge();
    return boundsAround(average);
  }
  const [first, second, third, ...others] = parameters;
  if (first === undefined || second === undefined || third === undefined || others.length > 0) {
    throw refused("incorrect format (expected 'rabin' 'rabin-[avg]' or 'rabin-[min]-[avg]-[max]'");
  }
  const min = parseLabelled(first, 'min', 'first');
  if (min < rabinMinBytes) throw refused('rabin min must be greater than 16');
  const average = parseLabelled(second, 'avg', 'second');
  const max = parseLabelled(third, 'max', 'final');
  if (min >= average) throw refused('incorrect format: rabin-min must be smaller than rabin-avg');
  if (average >= max) throw refused('incorrect format: rabin-avg must be smaller than rabin-max');
  if (max > chunkBytesMax) throw tooLarge();
  return { min, average, max };
}

const boundsAround = (average: number): RabinBounds => ({
  min: Math.floor(average / 3),
  average,
  max: average + Math.floor(average / 2),
});

/** Parses a number with an optional label, such as `min:16`. */
function parseLabelled(text: string, label: string, position: string): number {
  const parts = text.split(':');
  if (parts.length > 1 && parts[0] !== label) throw refused(`${position} label must be ${label}`);
  return parseGoDecimal(parts.at(-1) ?? '');
}

/**
 * Yields the input as one chunk, as Kubo's Rabin chunker does with a lower bound below its window. The chunk must fit into
 * a block.
 */
async function* onlyChunk(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunksOf(source, chunkBytesMax)) {
    if (chunk.length === chunkBytesMax) throw refused('object size limit exceeded');
    yield chunk;
  }
}

function refused(message: string): RefusedOptionError {
  return new RefusedOptionError('chunker', message);
}

function tooLarge(): RefusedOptionError {
  return refused(`chunker parameters may not exceed the maximum chunk size of ${chunkBytesMax}`);
}
