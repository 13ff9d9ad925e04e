import type { CID } from '@cairn/cid';
import type { Blockstore, PutOptions } from './blockstore.ts';
import type { Claims } from './claims.ts';

/** Keeps blocks from collection while something is being written. */
export interface Hold {
  /** Lets go; a second call does nothing. */
  release(): Promise<void>;
}

export interface SweepOptions {
  /** The cycle whose marks count, the current one. */
  readonly cycle: number;
  /** Blocks that were put or touched less than this many seconds ago stay. */
  readonly graceSeconds: number;
  /** Where the last step stopped. */
  readonly start?: Uint8Array | undefined;
  /** Blocks to look at in this step. */
  readonly limit: number;
}

export interface SweepStep {
  /** What was removed, each as a CIDv1 of the raw codec. */
  readonly removed: readonly CID[];
  /** Sum of the lengths of all. */
  readonly bytes: number;
  /** Where the next step goes on; absent after the last. */
  readonly next: Uint8Array | undefined;
}

/**
 * What a collector of garbage asks of a store, beside reading.
 *
 * Time is counted in cycles. A collector begins a cycle, marks what must stay, and sweeps: a block goes when this cycle
 * has not marked it, and it was last put or touched in an earlier cycle, before every hold that was open when this cycle
 * began. So whoever makes blocks reachable takes a hold first, then puts or touches them, then writes down what reaches
 * them: either the marking sees that, or the sweep spares them. All of this holds over all processes on one store.
 */
export interface Collectable extends Claims {
  /** Number of the cycle that runs or ran last; 0 before the first. */
  cycle(): Promise<number>;
  /**
   * Blocks put or touched from here until the release are not swept by a cycle that began meanwhile or is under way, and
   * not discarded by their owner.
   */
  hold(options?: PutOptions): Promise<Hold>;
  /** Counts these blocks as put now. Resolves to those that are not here (or are quarantined), in order; nothing is read. */
  touchMany(cids: readonly CID[], options?: PutOptions): Promise<CID[]>;
  /** Begins the next cycle and resolves to its number. */
  beginCycle(): Promise<number>;
  /**
   * Those of these blocks that the cycle has not marked as the codec of the CID, in order; unknown ones are among them.
   * The codec counts, since it says what the block links to: a block that is marked as raw says nothing of links.
   */
  unmarked(cids: readonly CID[], cycle: number): Promise<CID[]>;
  /** Marks what is here of these blocks, each as the codec of its CID. As raw, it leaves marks of this cycle as they are. */
  markMany(cids: readonly CID[], cycle: number): Promise<void>;
  /**
   * One step of removing what is not to stay, with the claims on it, and of ending claims past their grace. What a listener of {@link onRemoved} hears is on the disk by then.
   * @throws CYCLE_OVER when another cycle has begun
   */
  sweep(options: SweepOptions): Promise<SweepStep>;
  /** Puts a block aside whose bytes were found wrong: it is not served any more. Putting the right bytes mends it. */
  quarantine(cid: CID): Promise<void>;
  /** Blocks that are set aside, in key order, each as a CIDv1 of the raw codec. */
  quarantined(): AsyncIterable<CID>;
  /** Calls back with what this process removed, so that nothing of it stays in caches. */
  onRemoved(listener: (cids: readonly CID[]) => void): void;
}

/** A store whose garbage can be collected. */
export type CollectableBlockstore = Blockstore & Collectable;
