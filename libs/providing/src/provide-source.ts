import type { CID } from '@cairn/cid';

/** Content that this node announces: stored, served to others, and not denied. */
export interface ProvideSource {
  cids(): AsyncIterable<CID>;
  includes(cid: CID): Promise<boolean>;
}

/** Methods of a pin store that {@link pinnedRoots} uses. */
export interface PinnedRoots {
  roots(mode: 'recursive' | 'direct'): AsyncIterable<{ readonly cid: CID }>;
  isPinned(mode: 'recursive' | 'direct', cid: CID): Promise<boolean>;
}

/** Source of the roots of all pins. `isServed` excludes content that the serving policy or a denylist keeps back. */
export function pinnedRoots(
  pins: PinnedRoots,
  isServed: (cid: CID) => boolean | Promise<boolean> = () => true,
): ProvideSource {
  const modes = ['recursive', 'direct'] as const;
  return {
    async *cids() {
      for (const mode of modes) for await (const { cid } of pins.roots(mode)) if (await isServed(cid)) yield cid;
    },
    async includes(cid) {
      const isPinned = (await pins.isPinned('recursive', cid)) || (await pins.isPinned('direct', cid));
      return isPinned && (await isServed(cid));
    },
  };
}

/** Methods of a block store that {@link storedBlocks} uses. */
export interface StoredBlocks {
  keys(): AsyncIterable<CID>;
  has(cid: CID): Promise<boolean>;
}

/** Source of all blocks of a store. */
export function storedBlocks(
  blocks: StoredBlocks,
  isServed: (cid: CID) => boolean | Promise<boolean> = () => true,
): ProvideSource {
  return {
    async *cids() {
      for await (const cid of blocks.keys()) if (await isServed(cid)) yield cid;
    },
    includes: async (cid) => (await blocks.has(cid)) && (await isServed(cid)),
  };
}
