import type { Subtree } from './file-layout.ts';
import type { OpenChunks } from './trickle-layout.ts';

/** Length of a chunk of zeros, as in Kubo. All full chunks are the same block. */
const zeroChunkBytes = 4096;
const zeroChunk = new Uint8Array(zeroChunkBytes);

/** Creates the chunks of a hole. Its tree has few distinct blocks, so its cost grows with its depth, not its length. */
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
