import { allocateBytes, copyBytes } from '@cairn/platform';
export interface CutOptions {
  /** Longest chunk in bytes. */
  readonly bytesMax: number;
  /** Length of the first chunk of `bytes`, which are `bytesMax` long, or shorter at the end of the stream. */
  readonly cut: (bytes: Uint8Array) => number;
}

/** Cuts a stream at places that its content decides. Holds two of the longest chunks; each chunk is a copy of its own. */
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
