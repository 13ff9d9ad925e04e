import type { CID } from '@cairn/cid';
import type { BlockstoreStats } from './blockstore.ts';

/** A block that an owner keeps although no root reaches it. */
export interface Claim {
  /** CIDv1 of the raw codec. */
  readonly cid: CID;
  /** Length of the block in bytes. */
  readonly bytes: number;
  /** False for a leftover: see {@link ClaimOptions}. */
  readonly isCounted: boolean;
}

export interface ClaimOptions {
  /** Marks blocks of a failed write. They are listed, so that the owner can discard them, but not counted. Default false. */
  readonly isLeftover?: boolean;
  /** Skips blocks that are not stored because writes fail, instead of waiting for another attempt. Default false. */
  readonly isBestEffort?: boolean;
}

/** Result of discarding a block. */
export type DiscardResult =
  /** The block was removed. */
  | 'removed'
  /** Another owner has put or touched the block. The claim of this owner ended; a collection decides about the block. */
  | 'shared'
  /** An open write of the owner may rely on the block. Nothing changed. */
  | 'busy'
  /** The store does not have the block. */
  | 'absent';

/**
 * Claims keep blocks of an owner that no root reaches, such as a block that was put and not pinned. Several owners may claim
 * one block, and its length counts for each. A claim ends when its owner ends it, with the block, or in a sweep after the
 * grace period. Sums per owner change in the transaction that changes the claims.
 */
export interface Claims {
  /**
   * Claims the stored ones of these blocks. An existing claim is renewed, and a counted claim stays counted. Durable once
   * resolved.
   */
  claimMany(cids: readonly CID[], owner: number, options?: ClaimOptions): Promise<void>;
  /** Ends claims of an owner; the blocks stay. Durable once resolved. */
  unclaimMany(cids: readonly CID[], owner: number): Promise<void>;
  /** Returns number and bytes of the counted claims of an owner. One lookup. */
  claimed(owner: number): Promise<BlockstoreStats>;
  /** Lists the claims of an owner in key order. The cost grows with the number of claims. */
  claims(owner: number): AsyncIterable<Claim>;
  /** Returns the claims of an owner on these blocks, in order. */
  claimsAmong(cids: readonly CID[], owner: number): Promise<Claim[]>;
  /**
   * Begins a removal by an owner and resolves to the `keepFrom` of {@link discardMany}. Blocks that an open or later write of
   * this owner puts or touches are not discarded with it.
   */
  beginDiscard(owner: number): Promise<number>;
  /**
   * Removes blocks that no other owner has put or touched, without a grace period, and ends the owner's claims on the others.
   * The caller must have verified that no root of the owner, current or former, reaches them.
   */
  discardMany(
    cids: readonly CID[],
    options: { readonly owner: number; readonly keepFrom: number },
  ): Promise<DiscardResult[]>;
  /** Makes every block that is stored now count as shared by several owners. */
  disownAll(): Promise<void>;
}
