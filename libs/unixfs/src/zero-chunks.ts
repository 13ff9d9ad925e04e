import type { Subtree } from './file-layout.ts';
import type { OpenChunks } from './trickle-layout.ts';

/** Zeros are written in chunks of this many bytes, as in Kubo: they are all the same block. */
const zeroChunkBytes = 4096;
const zeroChunk = new Uint8Array(zeroChunkBytes);

/** The chunks of a hole. The tree over them has few distinct blocks, so it costs time by its depth, not by its length. */
export function openZeros(length: number): OpenChunks {
  let left = length;
  const kept = new Map<number, Subtree>();
  return {
    get next() {
      return left === 0 ? undefined : zeroChunk.subarray(0, Math.min(left, zeroChunkBytes));
    },
    async take() {
      const chunk = zeroChunk.slice(0, Math.min(left, zeroChunkBytes));
      left -= chunk.length;
      return chunk;
    },
    repeats: {
      take(depth) {
        const subtree = kept.get(depth);
        if (subtree === undefined || subtree.fileSize > left) return undefined;
        left -= subtree.fileSize;
        return subtree;
      },
      keep(depth, subtree) {
        kept.set(depth, subtree);
      },
    },
    async close() {},
  };
}
