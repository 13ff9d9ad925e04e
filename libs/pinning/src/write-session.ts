import type { Blockstore } from '@cairn/blockstore';
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
}

export interface SessionPinOptions {
  /** Default `recursive`. */
  readonly mode?: PinMode;
  readonly name?: string | undefined;
  /** Told how many blocks have been seen, now and then. */
  readonly onProgress?: (blocks: number) => void;
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
  pin(cid: CID, options?: SessionPinOptions): Promise<Pin>;
  /** Makes sure that a whole DAG is here, and keeps it from collection until the session ends. @throws as `pin` does */
  touch(root: CID): Promise<DagSize>;
  /**
   * Makes sure that the account may come to hold this many bytes through the session, what it has written so far
   * included; they stay reserved until the session ends. For what is kept by other means than a pin.
   * @throws QUOTA_EXCEEDED
   */
  reserve(bytes: number): Promise<void>;
  /** Lets go. Call it in `finally`; a second call does nothing. What was written without a pin is left to the collector. */
  end(): Promise<void>;
}
