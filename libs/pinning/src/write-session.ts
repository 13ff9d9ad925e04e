import type { Block, Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import type { Pin, PinMode } from './pin-store.ts';
import type { DagSize } from './walk-dag.ts';

/** Access of importers and other writers to the store. */
export type WritableBlocks = Pick<Blockstore, 'get' | 'has' | 'size' | 'putMany' | 'sync'>;

export interface WriteOptions {
  /** Limit of all bytes of the account. Default: no quota. */
  readonly quotaBytes?: number;
  /** Ends walks of this session. */
  readonly signal?: AbortSignal;
  /** Called with blocks as the session writes them. */
  readonly onPut?: (blocks: readonly Block[]) => void;
  /** Called with the number of blocks that walks of the session visit. */
  readonly onVisit?: (blocks: number) => void;
}

export interface PinOptions {
  /** Default `recursive`. */
  readonly mode?: PinMode;
  readonly name?: string | undefined;
  /** See {@link Pin.addedAs}. Default: the value of the existing pin. */
  readonly addedAs?: string | undefined;
  /** See {@link Pin.isRequested}. Default: false, also where a request created the existing pin. */
  readonly isRequested?: boolean;
  /** Called every 256 blocks and at the end with the number of visited blocks. */
  readonly onProgress?: (blocks: number) => void;
}

export interface PinManyOptions {
  readonly name?: string | undefined;
  /** {@link Pin.addedAs} by the text of the CID. Default: the values of the existing pins. */
  readonly addedAs?: ReadonlyMap<string, string>;
}

/**
 * A series of writes of an account. Until its end, no block that the session puts or walks is collected. After it, a pin or
 * the grace period of the collector protects the block.
 */
export interface WriteSession {
  /**
   * Store of the session. `putMany` counts each written block once against the quota.
   * @throws QUOTA_EXCEEDED, STORE_FULL from `putMany`, which then stores none of its blocks
   */
  readonly store: WritableBlocks;
  /** Whether a pin or a root source retains blocks for this session. A later failure does not undo it. */
  readonly hasCommitted: boolean;
  /**
   * Makes all written blocks durable, then the pin. Every block of the DAG must be stored, by this session or before.
   * @throws BLOCK_NOT_FOUND, PIN_MODE_CONFLICT, CODEC_UNSUPPORTED, DAG_INVALID, DAG_TOO_LARGE, QUOTA_EXCEEDED, HOLD_LOST
   */
  pin(cid: CID, options?: PinOptions): Promise<Pin>;
  /**
   * Pins DAGs as {@link pin} does. DAGs of one block are pinned first, in one atomic transaction.
   * @throws as {@link pin}
   */
  pinMany(cids: readonly CID[], options?: PinManyOptions): Promise<void>;
  /**
   * Puts a block without links and pins it. Equals `putMany` of the store and {@link pinMany} of its CID, with fewer reads.
   * @throws as both
   */
  pinBlock(block: Block, options?: PinManyOptions): Promise<void>;
  /**
   * Makes all written blocks durable and claims those that no pin retains. A claimed block counts for the account until a pin or
   * a root source retains it, the account discards it, or its grace period ends. Blocks below pinned `roots` are not claimed.
   * Await it before you report a CID that is not pinned.
   * @throws HOLD_LOST
   */
  claimUnpinned(roots?: readonly CID[]): Promise<void>;
  /**
   * Ends the claims on all blocks that the session wrote or touched. Call it after a root source, such as a file tree, retains
   * them.
   */
  markRetained(): Promise<void>;
  /** Fence of the hold of this session; see `Hold` of `@cairn/blockstore`. A root source passes it to its store. */
  readonly fence: string | undefined;
  /** Resolves if the session has protected its blocks until now. Call it before a root source retains them. @throws HOLD_LOST */
  confirm(): Promise<void>;
  /** Verifies that a DAG is complete and protects it from collection until the session ends. @throws as `pin` does */
  touch(root: CID): Promise<DagSize>;
  /**
   * Verifies, before expensive work, that the quota has room for this many bytes in addition to pins and root sources.
   * Claims do not count, since they may be of the same blocks.
   * @throws QUOTA_EXCEEDED
   */
  assertQuota(bytes: number): Promise<void>;
  /**
   * Reserves quota for this many bytes of the session, including the bytes written so far, until its end. Use it for blocks
   * that a root source retains instead of a pin.
   * @throws QUOTA_EXCEEDED
   */
  reserve(bytes: number): Promise<void>;
  /**
   * Ends the session. Call it in `finally`; a second call does nothing. Written blocks that are neither pinned, claimed nor
   * marked as retained are leftovers: they do not count for the account, and its next collection removes them.
   */
  end(): Promise<{ readonly leftovers: number }>;
}
