import type { CID } from '@cairn/cid';
import type { BlockstoreStats } from './blockstore.ts';

/** A block that an owner keeps without a root above it. */
export interface Claim {
  /** As a CIDv1 of the raw codec. */
  readonly cid: CID;
  /** Length of the block in bytes. */
  readonly bytes: number;
  /** False for a leftover: see {@link ClaimOptions}. */
  readonly isCounted: boolean;
}

export interface ClaimOptions {
  /** For what a write left that failed: listed as a claim, since its owner may discard it, but not counted. */
  readonly isLeftover?: boolean;
}

/** Outcome of discarding a block. */
export type DiscardResult =
  /** The block is gone. */
  | 'removed'
  /** Another owner has put or touched it too: the claim of this one ended, the block stays for a collection to decide. */
  | 'shared'
  /** A write of the owner is under way that may count on it; nothing changed. */
  | 'busy'
  /** There is no such block. */
  | 'absent';

/**
 * Claims: an owner keeps a block without a root above it, such as a block that was put and not pinned. Several owners may
 * claim one block, and the length counts for each. A claim ends when its owner ends it, or with the block, or when a sweep
 * finds it older than the grace period. Sums per owner change in the transaction that changes the claims.
 */
export interface Claims {
  /**
   * Claims those of these blocks that are here; a claim that exists is made anew, and counts if either does. Durable when
   * it resolves.
   */
  claimMany(cids: readonly CID[], owner: number, options?: ClaimOptions): Promise<void>;
  /** Ends claims of an owner; the blocks stay. Durable when it resolves. */
  unclaimMany(cids: readonly CID[], owner: number): Promise<void>;
  /** Number and sum of lengths of the claims of an owner that count. Costs no walk. */
  claimed(owner: number): Promise<BlockstoreStats>;
  /** The claims of an owner, in key order. Cost follows the number of claims. */
  claims(owner: number): AsyncIterable<Claim>;
  /** Filters blocks to those that an owner claims, in order. */
  claimsAmong(cids: readonly CID[], owner: number): Promise<Claim[]>;
  /**
   * Begins a removal by an owner. Resolves to a number for {@link discardMany}: what a write of that owner puts or touches
   * which is open now, or begins later, is not discarded with it.
   */
  beginDiscard(owner: number): Promise<number>;
  /**
   * Removes blocks that only this owner has put or touched since they are here, without grace, and ends its claims on the
   * others. The caller has made sure that nothing reaches them that the owner holds, or has held.
   */
  discardMany(
    cids: readonly CID[],
    options: { readonly owner: number; readonly keepFrom: number },
  ): Promise<DiscardResult[]>;
  /** From here on no block that is in the store now counts as put by one owner only. */
  disownAll(): Promise<void>;
}
