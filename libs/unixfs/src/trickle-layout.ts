import { InvalidOptionError } from './errors.ts';
import {
  type FileLayout,
  type LayoutOptions,
  nodeLinksMax,
  type Subtree,
  writeInner,
  writeLeaf,
} from './file-layout.ts';

/** Number of subtrees of one depth before the next ones can be deeper: Kubo's `depthRepeat`. */
export const layerRepeat = 4;

/**
 * Kubo's trickle layout, for streams that are read from front to back. A node has leaves first, then subtrees of increasing
 * depth, four of each depth. Memory: one row of links per open level.
 */
export const trickleLayout: FileLayout = async (chunks, options) => {
  const leaves = await openChunks(chunks);
  try {
    return await fillTrickle(leaves, options, Number.POSITIVE_INFINITY, options.metadata);
  } finally {
    await leaves.close();
  }
};

/** Writes a subtree of at most `depthMax` levels over the next chunks. */
export async function fillTrickle(
  leaves: OpenChunks,
  options: LayoutOptions,
  depthMax: number,
  metadata: LayoutOptions['metadata'] = {},
): Promise<Subtree> {
  const written = leaves.repeats?.take(depthMax);
  if (written !== undefined) return written;
  const subtrees: Subtree[] = [];
  await fillLeaves(subtrees, leaves, options);
  for (let depth = 1; depth < depthMax && leaves.next !== undefined; depth++) {
    for (let repeat = 0; repeat < layerRepeat && leaves.next !== undefined; repeat++) {
      subtrees.push(await fillTrickle(leaves, options, depth));
    }
  }
  const subtree = await writeInner(subtrees, options.writer, metadata);
  // A subtree is full if chunks remain. The next one of its depth is then identical.
  if (leaves.next !== undefined) leaves.repeats?.keep(depthMax, subtree);
  return subtree;
}

/** Adds leaves to a node until it is full. */
export async function fillLeaves(subtrees: Subtree[], leaves: OpenChunks, options: LayoutOptions): Promise<void> {
  while (subtrees.length < options.linksMax && leaves.next !== undefined) {
    if (subtrees.length === nodeLinksMax) {
      throw new InvalidOptionError(
        'max-file-links',
        `a node of more than ${nodeLinksMax} links fits no block; set less`,
      );
    }
    subtrees.push(leaves.repeats?.take(0) ?? (await nextLeaf(leaves, options)));
  }
}

async function nextLeaf(leaves: OpenChunks, options: LayoutOptions): Promise<Subtree> {
  const leaf = await writeLeaf(await leaves.take(), options, 'raw');
  if (leaves.next !== undefined) leaves.repeats?.keep(0, leaf);
  return leaf;
}

/** Cache of full subtrees over identical chunks. Subtrees of one depth are the same block, written once. */
export interface Repeats {
  /**
   * Returns the cached subtree of this depth and consumes its chunks. Returns nothing if there is none, or if fewer chunks
   * remain.
   */
  take(depth: number): Subtree | undefined;
  /** Caches a full subtree of this depth. A leaf has depth 0. */
  keep(depth: number, subtree: Subtree): void;
}

/** Chunks with one of them read ahead, so that no node is started after the last chunk. */
export interface OpenChunks {
  /** Next chunk that {@link take} returns; `undefined` at the end. */
  readonly next: Uint8Array | undefined;
  take(): Promise<Uint8Array>;
  /** Present if all chunks are identical, except for a shorter last one. */
  readonly repeats?: Repeats;
  close(): Promise<void>;
}

export async function openChunks(chunks: AsyncIterable<Uint8Array>): Promise<OpenChunks> {
  const iterator = chunks[Symbol.asyncIterator]();
  const advance = async () => {
    const { done, value } = await iterator.next();
    return done ? undefined : value;
  };
  let next = await advance();
  return {
    get next() {
      return next;
    },
    async take() {
      const taken = next;
      if (taken === undefined) throw new RangeError('There is no chunk left to take.');
      next = await advance();
      return taken;
    },
    async close() {
      await iterator.return?.();
    },
  };
}
