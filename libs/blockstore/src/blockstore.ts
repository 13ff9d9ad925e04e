import type { CID } from '@cairn/cid';

/** Bytes and the CID that names them. */
export interface Block {
  readonly cid: CID;
  readonly bytes: Uint8Array;
}

/** What a store holds, exactly. */
export interface BlockstoreStats {
  /** Number of distinct blocks. */
  readonly blocks: number;
  /** Sum of their lengths in bytes. */
  readonly bytes: number;
}

export interface ReadOptions {
  /** Ends a wait; the call then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface PutOptions {
  /**
   * A number from 1 to 2^48 - 1 that stands for whoever writes. A block that only one owner has ever put since it is
   * here is that owner's to discard without a grace period (see `Collectable.sweep`).
   */
  readonly owner?: number;
}

/**
 * The port to a store of content-addressed blocks.
 *
 * Blocks are keyed by multihash: a CIDv0 and a CIDv1 of the same digest name the same block, and `delete` removes it
 * for both. Implementations need not hash; {@link withVerification} does, on both sides of the disk.
 */
export interface Blockstore {
  /** The bytes of a block. The caller must not change them. @throws BLOCK_NOT_FOUND */
  get(cid: CID, options?: ReadOptions): Promise<Uint8Array>;
  has(cid: CID): Promise<boolean>;
  /** Length of a block in bytes without reading it. @throws BLOCK_NOT_FOUND */
  size(cid: CID): Promise<number>;
  /**
   * Takes blocks and resolves once they can be read back. They are **not** durable before {@link sync} resolves.
   * Writing a block that is there already is cheap and changes nothing. The bytes belong to the store from here on: the
   * caller must not change them, since they may be written later.
   * Awaiting each call is the backpressure: it resolves late when the store is behind.
   * @throws BLOCK_TOO_LARGE, and keeps nothing of `blocks`
   */
  putMany(blocks: readonly Block[], options?: PutOptions): Promise<void>;
  /**
   * Resolves when everything that `putMany` and `delete` resolved for before this call survives a power cut. Where that
   * cannot be, each caller's `sync` throws, until the disk takes the blocks or they are deleted.
   */
  sync(): Promise<void>;
  /** Removes a block; does nothing when it is not there. */
  delete(cid: CID): Promise<void>;
  /** Multihashes of all blocks, in key order, each wrapped as a CIDv1 of the raw codec. */
  keys(options?: ReadOptions): AsyncIterable<CID>;
  stats(): Promise<BlockstoreStats>;
  close(): Promise<void>;
}
