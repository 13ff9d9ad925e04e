import { type CID, codecs } from '@cairn/cid';

/** Code of SHA-256 in multihashes. */
const sha256Code = 0x12;

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
      for (const form of formsOf(cid))
        for (const mode of modes) if (await pins.isPinned(mode, form)) return await isServed(cid);
      return false;
    },
  };
}

/** CIDs of both versions for one block: a pin has one of them, and indexes have version 1. */
function formsOf(cid: CID): readonly CID[] {
  const { code, multihash, version } = cid;
  if (version === 0) return [cid, cid.toV1()];
  const hasVersion0 = code === codecs['dag-pb'] && multihash.code === sha256Code && multihash.digest.length === 32;
  return hasVersion0 ? [cid, cid.toV0()] : [cid];
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
