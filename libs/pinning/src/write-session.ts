import type { Block, Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import type { Pin, PinMode } from './pin-store.ts';
import type { DagSize } from './walk-dag.ts';

/** What an importer, and whatever else writes blocks, may do with the store. */
export type WritableBlocks = Pick<Blockstore, 'get' | 'has' | 'size' | 'putMany' | 'sync'>;

export interface WriteOptions {
  /** Bytes that the account may hold in all; without it no quota applies. */
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
  /** See {@link Pin.addedAs}. Default: that of the pin as it is. */
  readonly addedAs?: string | undefined;
  /** Told how many blocks have been seen, now and then. */
  readonly onProgress?: (blocks: number) => void;
}

export interface PinManyOptions {
  readonly name?: string | undefined;
  /** See {@link Pin.addedAs}: by the text of the CID. Default: those of the pins as they are. */
  readonly addedAs?: ReadonlyMap<string, string>;
}

/**
 * One piece of writing on behalf of an account. From its start to its end no block that it puts, or that one of its
 * pins walked over, is collected as garbage; afterwards a pin keeps it, or the grace period of the collector.
 */
export interface WriteSession {
  /**
   * Where the blocks go. `putMany` counts what the session writes against the quota, each block once.
   * @throws QUOTA_EXCEEDED, STORE_FULL from `putMany`, which then keeps nothing of its blocks
   */
  readonly store: WritableBlocks;
  /**
   * Makes everything written so far durable, then the pin. Every block of the DAG must be there, written now or before.
   * @throws BLOCK_NOT_FOUND, PIN_MODE_CONFLICT, CODEC_UNSUPPORTED, DAG_INVALID, DAG_TOO_LARGE, QUOTA_EXCEEDED
   */
  pin(cid: CID, options?: PinOptions): Promise<Pin>;
  /**
   * Pins DAGs as {@link pin} does. Those of one block share one transaction, all or none, and come first.
   * @throws as {@link pin}
   */
  pinMany(cids: readonly CID[], options?: PinManyOptions): Promise<void>;
  /**
   * Makes what was written so far durable, and claims what no pin holds: it counts as held by the account until a pin or a
   * tree covers it, the account discards it, or its grace period ends. Blocks below `roots` that the account has pinned
   * already are not claimed. To be awaited before a CID is reported that is not pinned.
   */
  claimUnpinned(roots?: readonly CID[]): Promise<void>;
  /**
   * Called when something beside pins, such as a file tree, has come to hold what the session wrote and touched: claims on
   * it end.
   */
  markRetained(): Promise<void>;
  /** Makes sure that a whole DAG is here, and keeps it from collection until the session ends. @throws as `pin` does */
  touch(root: CID): Promise<DagSize>;
  /**
   * Makes sure that the account has room for this many bytes more beside its pins and other holdings, before work is done
   * for them. What it claims is left out, since it may be what is to be held.
   * @throws QUOTA_EXCEEDED
   */
  assertQuota(bytes: number): Promise<void>;
  /**
   * Makes sure that the account may come to hold this many bytes through the session, what it has written so far
   * included; they stay reserved until the session ends. For what is kept by other means than a pin.
   * @throws QUOTA_EXCEEDED
   */
  reserve(bytes: number): Promise<void>;
  /**
   * Releases the session. Call it in `finally`; a second call does nothing. What was written and is neither pinned, kept nor
   * covered is a leftover: it does not count for the account, whose next collection removes it.
   */
  end(): Promise<{ readonly leftovers: number }>;
}
