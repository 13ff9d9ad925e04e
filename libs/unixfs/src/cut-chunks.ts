import { allocateBytes, copyBytes } from '@cairn/platform';
export interface CutOptions {
  /** Maximum length of a chunk in bytes. */
  readonly bytesMax: number;
  /** Returns the length of the first chunk of `bytes`, which has `bytesMax` bytes, or fewer at the end of the stream. */
  readonly cut: (bytes: Uint8Array) => number;
}

/** Splits a stream at content-defined cut points. Memory: twice the longest chunk. Each chunk is a separate copy. */
export async function* cutChunks(
  source: AsyncIterable<Uint8Array>,
  { bytesMax, cut }: CutOptions,
): AsyncGenerator<Uint8Array> {
  const held = allocateBytes(bytesMax * 2);
  let start = 0;
  let end = 0;
  for await (const bytes of source) {
    for (let at = 0; at < bytes.length; ) {
      if (end === held.length) {
        held.copyWithin(0, start, end);
        end -= start;
        start = 0;
      }
      const length = Math.min(held.length - end, bytes.length - at);
      held.set(bytes.subarray(at, at + length), end);
      end += length;
      at += length;
      while (end - start >= bytesMax) {
        const chunk = cut(held.subarray(start, start + bytesMax));
        yield copyBytes(held.subarray(start, start + chunk));
        start += chunk;
      }
    }
  }
  while (end > start) {
    const chunk = cut(held.subarray(start, end));
    yield copyBytes(held.subarray(start, start + chunk));
    start += chunk;
  }
}
