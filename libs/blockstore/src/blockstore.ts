import type { CID } from '@cairn/cid';
import type { BufferPool } from './buffer-pool.ts';

/** Bytes and their CID. */
export interface Block {
  readonly cid: CID;
  readonly bytes: Uint8Array;
  /**
   * Pool that lent the buffer of `bytes` to the writer. The writer puts such a block once and does not use its bytes
   * afterwards. A store may give the buffer back when the block is durable or copied, and nothing else has its bytes.
   */
  readonly lentBy?: BufferPool | undefined;
}

/** Exact content of a store. */
export interface BlockstoreStats {
  /** Number of distinct blocks. */
  readonly blocks: number;
  /** Sum of their lengths in bytes. */
  readonly bytes: number;
}

export interface ReadOptions {
  /** Ends a wait. The call then throws the reason of the signal. */
  readonly signal?: AbortSignal;
  /**
   * Buffers for the bytes of long blocks. The caller gives each one back when nothing uses its bytes any more. A store may
   * return other bytes.
   */
  readonly buffers?: BufferPool;
}

export interface PutOptions {
  /**
   * Number of the writer, from 1 to 2^48 - 1. An owner may discard blocks that no other owner has put, without a grace
   * period (see `Claims.discardMany`).
   */
  readonly owner?: number;
  /**
   * Reports whether a block has no links with the codec of its CID. The store then remembers it for `Collectable.leafLengths`. Called
   * before the call of the store resolves. Default: not known.
   */
  readonly isLeaf?: (block: Block) => boolean;
}

/**
 * Reads of several blocks in one snapshot: an optional capability of a store. Answers are in the order of `cids`, undefined
 * for absent and quarantined blocks. An absent block costs no error object.
 */
export interface BatchReads {
  sizeMany(cids: readonly CID[]): Promise<readonly (number | undefined)[]>;
  /** Reads all bytes in one turn of the event loop. The caller bounds their sum. @throws STORE_CORRUPT */
  getMany(cids: readonly CID[]): Promise<readonly (Uint8Array | undefined)[]>;
}

/**
 * The port to a store of content-addressed blocks.
 *
 * Blocks are keyed by multihash: a CIDv0 and a CIDv1 of the same digest name the same block, and `delete` removes it
 * for both. Adapters need not hash; `withVerification` verifies on write and on read.
 */
export interface Blockstore {
  /**
   * Present in a store that verifies each block that it reads, and quarantines corrupt ones. `withVerification` does not hash
   * its blocks again.
   */
  readonly verifiesReads?: true;
  /** Returns the bytes of a block. The caller must not change them. @throws BLOCK_NOT_FOUND */
  get(cid: CID, options?: ReadOptions): Promise<Uint8Array>;
  has(cid: CID): Promise<boolean>;
  /** Returns the length of a block in bytes without reading it. @throws BLOCK_NOT_FOUND */
  size(cid: CID): Promise<number>;
  /**
   * Accepts blocks and resolves once they can be read back. They are **not** durable before {@link sync} resolves. Writing
   * a stored block is cheap and changes nothing. The caller must not change the bytes afterwards, since the write may
   * follow later. Awaiting each call is the back-pressure: it resolves later while the disk is slower than the writer.
   * @throws BLOCK_TOO_LARGE, and stores none of `blocks`
   */
  putMany(blocks: readonly Block[], options?: PutOptions): Promise<void>;
  /**
   * Resolves when all blocks and deletions that were resolved before this call survive a power cut. After a failed write
   * every `sync` throws until the disk accepts the blocks or they are deleted.
   */
  sync(): Promise<void>;
  /** Removes a block. Does nothing for an unknown block. */
  delete(cid: CID): Promise<void>;
  /** Lists the multihashes of all blocks in key order, each as a CIDv1 of the raw codec. */
  keys(options?: ReadOptions): AsyncIterable<CID>;
  stats(): Promise<BlockstoreStats>;
  close(): Promise<void>;
}
