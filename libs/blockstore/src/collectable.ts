import type { CID } from '@cairn/cid';
import type { Blockstore, PutOptions } from './blockstore.ts';
import type { Claims } from './claims.ts';

/** Protects blocks from collection during a write. */
export interface Hold {
  /**
   * Name of this hold in the database of the store. A store of roots in the same database requires it in the statement that
   * writes a root, so that no collection can end the hold before the root counts. Absent in stores without a database.
   */
  readonly fence?: string;
  /**
   * Resolves if no collection has ended the hold. A process that is paused renews no holds, and other processes then regard it
   * as ended.
   * @throws HOLD_LOST
   */
  confirm(): Promise<void>;
  /** Ends the protection. A second call does nothing. */
  release(): Promise<void>;
}

export interface SweepOptions {
  /** The current cycle, whose marks count. */
  readonly cycle: number;
  /** Blocks that were put or touched less than this many seconds ago stay. */
  readonly graceSeconds: number;
  /**
   * Grace of cached blocks: of no owner or of several, and without a claim, such as blocks fetched from other nodes. Default
   * `graceSeconds`.
   */
  readonly cacheGraceSeconds?: number | undefined;
  /** `next` of the previous step; absent for the first. */
  readonly start?: Uint8Array | undefined;
  /** Number of blocks to examine in this step. */
  readonly limit: number;
}

export interface SweepStep {
  /** Removed blocks, each as a CIDv1 of the raw codec. */
  readonly removed: readonly CID[];
  /** Sum of the lengths of the removed blocks. */
  readonly bytes: number;
  /** Start of the next step; undefined after the last. */
  readonly next: Uint8Array | undefined;
}

/**
 * The part of a store that garbage collection needs, in addition to reading.
 *
 * Time is counted in cycles. A collector begins a cycle, marks reachable blocks, and sweeps. A sweep removes a block that
 * this cycle has not marked, and that was last put or touched before this cycle and before every hold that was open when
 * the cycle began. A writer therefore takes a hold, puts or touches its blocks, and then records the root that reaches
 * them. Either the marking sees that root, or the sweep spares the blocks. This is true across all processes on one store.
 */
export interface Collectable extends Claims {
  /** Returns the number of the current or last cycle; 0 before the first. */
  cycle(): Promise<number>;
  /**
   * Protects blocks that are put or touched until the release. No cycle that is running or begins before the release sweeps
   * them, and their owner does not discard them.
   */
  hold(options?: PutOptions): Promise<Hold>;
  /** Counts these blocks as put now. Resolves to the missing and quarantined ones, in order. Reads no block. */
  touchMany(cids: readonly CID[], options?: PutOptions): Promise<CID[]>;
  /**
   * Returns the lengths in bytes of those of these blocks that are stored and known to have no links with the codec of the CID, in
   * order; undefined for others. Reads no block. An optional capability: without it every dag-pb block is read for its links.
   */
  leafLengths?(cids: readonly CID[]): Promise<readonly (number | undefined)[]>;
  /** Begins the next cycle and resolves to its number. */
  beginCycle(): Promise<number>;
  /**
   * Returns those of these blocks that the cycle has not marked as the codec of the CID, in order, unknown blocks included.
   * The codec determines the links, so a block that is marked as raw is not marked as dag-pb.
   */
  unmarked(cids: readonly CID[], cycle: number): Promise<CID[]>;
  /** Marks those of these blocks that are stored, each as the codec of its CID. A raw mark does not replace another codec. */
  markMany(cids: readonly CID[], cycle: number): Promise<void>;
  /**
   * Runs one step of the sweep: removes garbage with the claims on it, and ends claims past their grace period. Removals are
   * durable before listeners of {@link onRemoved} are called.
   * @throws CYCLE_OVER when a later cycle has begun
   */
  sweep(options: SweepOptions): Promise<SweepStep>;
  /** Quarantines a corrupt block: reads of it throw. Putting the right bytes repairs it. */
  quarantine(cid: CID): Promise<void>;
  /** Lists quarantined blocks in key order, each as a CIDv1 of the raw codec. */
  quarantined(): AsyncIterable<CID>;
  /** Calls back with each block that this process has quarantined. */
  onQuarantined(listener: (cid: CID) => void): void;
  /** Calls back with blocks that this process removed, so that caches can drop them. */
  onRemoved(listener: (cids: readonly CID[]) => void): void;
}

/** A block store with garbage collection. */
export type CollectableBlockstore = Blockstore & Collectable;
