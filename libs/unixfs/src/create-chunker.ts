import { buzhashBytes, cutBuzhash } from './buzhash.ts';
import { chunksOf, defaultChunkBytes, parseChunker } from './chunker.ts';
import { cutChunks } from './cut-chunks.ts';
import { InvalidOptionError } from './errors.ts';
import { createRabinCut, type RabinBounds } from './rabin.ts';

/** Cuts a stream into the chunks that become leaves; yields no empty chunk. */
export type Chunker = (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/**
 * The chunker of a name in Kubo's notation: `size-<bytes>`, `rabin`, `rabin-<average>`, `rabin-<min>-<average>-<max>`,
 * `buzhash` or `default`. The same bytes are cut at the same places, whatever pieces they arrive in.
 * @throws OPTION_INVALID
 */
export function createChunker(notation: string): Chunker {
  if (notation === 'buzhash') return (source) => cutChunks(source, { bytesMax: buzhashBytes.max, cut: cutBuzhash });
  if (notation === 'rabin' || notation.startsWith('rabin-')) {
    const bounds = parseRabin(notation);
    const cut = createRabinCut(bounds);
    return (source) => cutChunks(source, { bytesMax: bounds.max, cut });
  }
  const chunkBytes = parseChunker(notation);
  return (source) => chunksOf(source, chunkBytes);
}

/** Kubo also takes the labels `min:`, `avg:` and `max:` before the numbers. */
const threeBounds = /^rabin-(?:min:)?(\d{1,8})-(?:avg:)?(\d{1,8})-(?:max:)?(\d{1,8})$/;

function parseRabin(notation: string): RabinBounds {
  const three = threeBounds.exec(notation);
  if (three) return { min: Number(three[1]), average: Number(three[2]), max: Number(three[3]) };
  const parts = notation.split('-');
  const wrong =
    parts.length === 4
      ? ['min', 'avg', 'max'].find((_, at) => !/^(\w+:)?\d{1,8}$/.test(parts[at + 1] ?? ''))
      : undefined;
  if (wrong)
    throw new InvalidOptionError('chunker', `Chunker parameter ${wrong} must be an integer of at most 8 digits`);
  const one = /^rabin(?:-(\d{1,8}))?$/.exec(notation);
  if (!one) {
    throw new InvalidOptionError(
      'chunker',
      `expected rabin, rabin-<average> or rabin-<min>-<average>-<max> in bytes, not ${JSON.stringify(notation.slice(0, 64))}`,
    );
  }
  const average = one[1] === undefined ? defaultChunkBytes : Number(one[1]);
  return { min: Math.floor(average / 3), average, max: average + Math.floor(average / 2) };
}
