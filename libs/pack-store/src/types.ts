import type { Block, ReadOptions } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';

/** Place of a block in a pack: the offset and length of its bytes, without the CID before them. */
export interface PackEntry {
  readonly cid: CID;
  readonly offset: number;
  readonly length: number;
}

/** A pack that is durable in the object store. */
export interface StoredPack {
  /** Key of the object: `packs/<SHA-256 of its bytes in hex>.car`. */
  readonly key: string;
  /** Length of the object. */
  readonly bytes: number;
  readonly entries: readonly PackEntry[];
}

/** Place of a block in the object store. */
export interface BlockLocation {
  readonly cid: CID;
  /** Key of the pack. */
  readonly pack: string;
  readonly offset: number;
  readonly length: number;
}

/** Writes blocks of concurrent callers into common packs (group commit). */
export interface PackWriter {
  /**
   * Resolves when the blocks are accepted, before they are durable. It waits while too many bytes are on their way. A block that
   * is pending already is not written twice. `tag` is the owner number of the caller. `isPbLeaf` reports blocks without links as nodes
   * of the codec dag-pb.
   * @throws PACK_BLOCK_TOO_LARGE; the error of a failed upload while failed packs leave no room
   */
  add(blocks: readonly Block[], tag: number, isPbLeaf?: (block: Block) => boolean): Promise<void>;
  /** Bytes of a block that was accepted and whose `onPack` has not resolved. */
  pending(multihash: Uint8Array): Uint8Array | undefined;
  /**
   * Resolves when all blocks accepted before are uploaded and `onPack` has resolved. A pack that failed is kept, and each flush
   * tries it again. Rejects at the first failure. @throws the error of the failed upload or `onPack`
   */
  flush(): Promise<void>;
  readonly pendingBytes: number;
  /** Whether the last upload, or its `onPack`, failed. */
  readonly isFailing: boolean;
  /** Ends uploads that have not finished; their blocks are lost. Flush first to keep them. */
  close(): Promise<void>;
}

/**
 * Called for each durable pack, again after it has rejected. `tags` has the owner numbers of each entry, `leaves` the numbers of the
 * entries that were added as leaves. A pack counts as written when it resolves.
 */
export type OnPack = (
  pack: StoredPack,
  tags: readonly (readonly number[])[],
  leaves: ReadonlySet<number>,
) => Promise<void>;

/** Reads blocks from packs. Returned bytes have been verified against their CIDs. */
export interface PackReader {
  /** @throws PACK_CORRUPT, OBJECT_NOT_FOUND and other errors of the object store */
  get(location: BlockLocation, options?: ReadOptions): Promise<Uint8Array>;
  /** Bytes in the order of `locations`. The caller bounds their sum. */
  getMany(locations: readonly BlockLocation[], options?: ReadOptions): Promise<Uint8Array[]>;
}
