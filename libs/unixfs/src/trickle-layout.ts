import { type FileLayout, type LayoutOptions, type Subtree, writeInner, writeLeaf } from './file-layout.ts';

/** Subtrees of one depth before the next ones may be deeper; Kubo's `depthRepeat`. */
export const layerRepeat = 4;

/**
 * Kubo's trickle layout, for streams read from front to back: a node holds leaves first, then subtrees that become
 * deeper, four of each depth. Memory: one row of links for each level that is open.
 */
export const trickleLayout: FileLayout = async (chunks, options) => {
  const leaves = await openChunks(chunks);
  try {
    return await fillTrickle(leaves, options, Number.POSITIVE_INFINITY, options.metadata);
  } finally {
    await leaves.close();
  }
};

/** Writes a subtree of at most `depthMax` levels over the chunks that come next. */
export async function fillTrickle(
  leaves: OpenChunks,
  options: LayoutOptions,
  depthMax: number,
  metadata: LayoutOptions['metadata'] = {},
): Promise<Subtree> {
  const subtrees: Subtree[] = [];
  await fillLeaves(subtrees, leaves, options);
  for (let depth = 1; depth < depthMax && leaves.next !== undefined; depth++) {
    for (let repeat = 0; repeat < layerRepeat && leaves.next !== undefined; repeat++) {
      subtrees.push(await fillTrickle(leaves, options, depth));
    }
  }
  return writeInner(subtrees, options.writer, metadata);
}

/** Adds leaves to a node until it has no room for more. */
export async function fillLeaves(subtrees: Subtree[], leaves: OpenChunks, options: LayoutOptions): Promise<void> {
  while (subtrees.length < options.linksMax && leaves.next !== undefined) {
    subtrees.push(await writeLeaf(await leaves.take(), options, 'raw'));
  }
}

/** Chunks with one of them read ahead, so that the end is known before a node is opened for nothing. */
export interface OpenChunks {
  /** The chunk that {@link take} gives; `undefined` at the end. */
  readonly next: Uint8Array | undefined;
  take(): Promise<Uint8Array>;
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
