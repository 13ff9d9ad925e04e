import type { CID } from '@cairn/cid';
import type { CollectionState } from './collection-report.ts';
import type { DagSize } from './walk-dag.ts';

/** `recursive` retains the whole DAG, `direct` one block. */
export type PinMode = 'recursive' | 'direct';

export interface Pin {
  readonly cid: CID;
  readonly mode: PinMode;
  /** Label given by the account; not unique. */
  readonly name: string | undefined;
  /** Name of the file or directory that was added as this root, for display. Kubo's API reports {@link name} only. */
  readonly addedAs?: string | undefined;
  /** True for a pin that a pin request created and no other call has changed. It is removed with its last request. A pin of the
   * account itself stays without it. */
  readonly isRequested?: boolean | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Size of the pinned DAG or block, computed when the pin was created. */
  readonly size: DagSize;
}

/** Sum over the pins of an account. Each pinned DAG counts in full, also blocks that it shares with other pins. */
export interface Usage {
  readonly pins: number;
  readonly blocks: number;
  readonly bytes: number;
}

/** Storage limit of an account. */
export interface Quota {
  /** Limit of all bytes; absent without a quota. */
  readonly bytesMax?: number | undefined;
  /** Bytes that the account uses in addition to its pins, such as its files. Default 0. */
  readonly otherBytes?: number;
}

/** Conditions of a new pin. */
export interface PinConditions extends Quota {
  /** See `Hold.fence` of `@cairn/blockstore`: the pin relies on blocks that this hold protects. Stores on LMDB ignore it. */
  readonly fence?: string | undefined;
}

/** A CID that at least one account pins. */
export interface Root {
  readonly cid: CID;
  /** Number of accounts that pin it in this mode. */
  readonly count: number;
  readonly size: DagSize;
}

/** A root that an account has unpinned in this mode. */
export interface ReleasedRoot {
  readonly cid: CID;
  readonly mode: PinMode;
  /** True while another account pins it in this mode. */
  readonly isPinned: boolean;
}

/** A root that an account began or ended to pin. */
export interface ChangedRoot {
  readonly account: string;
  readonly cid: CID;
  readonly mode: PinMode;
}

/** Changes of roots after a position. */
export interface RootChanges {
  readonly roots: readonly ChangedRoot[];
  /** Position after the last of them. */
  readonly position: string;
  /** True if no further change is listed now. */
  readonly isLast: boolean;
}

/** The right to collect garbage, which one process has at a time. */
export interface CollectionLock {
  /** Extends the lock. Resolves to false when it was lost. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * The port to the records of pins. Every change is atomic, and durable once resolved. Its cost does not grow with the number
 * of pins in the store.
 */
export interface PinStore {
  /**
   * Creates or replaces pins, with usage and roots.
   * @throws QUOTA_EXCEEDED, and changes nothing, if the usage would grow beyond the quota
   * @throws HOLD_LOST, and changes nothing, if the hold of the fence has ended
   */
  put(account: string, pins: readonly Pin[], conditions?: PinConditions): Promise<void>;
  /**
   * Like {@link put}, for one pin of a CID that an account already pins in this mode, so that its size is known. Resolves to
   * undefined, and changes nothing, if no account does, or if other accounts change their pins of the CID at this moment. If it
   * resolves to a pin, the CID was pinned without interruption.
   * @throws QUOTA_EXCEEDED
   */
  putKnownRoot(account: string, pin: Omit<Pin, 'size'>, quota?: Quota): Promise<Pin | undefined>;
  /**
   * Removes all of these pins, or none. Each root is then listed as {@link released}.
   * @throws PIN_NOT_FOUND for the first CID without a pin
   */
  remove(account: string, cids: readonly CID[]): Promise<void>;
  get(account: string, cid: CID): Promise<Pin | undefined>;
  /** Like {@link get}, but cheaper where it precedes a {@link put} of the pin, which finds damage. Absent: it is not cheaper. */
  peek?(account: string, cid: CID): Promise<Pin | undefined>;
  /** Streams the pins of an account in the order of their CIDs. */
  list(account: string): AsyncIterable<Pin>;
  usage(account: string): Promise<Usage>;
  /**
   * Compares pins with usage and roots, which are stored separately, and verifies the files of the store. Every sweep requires
   * it. With an account, it compares the pins of that account only.
   * @throws STORE_CORRUPT naming the difference
   */
  assertConsistent(options?: { readonly account?: string; readonly signal?: AbortSignal }): Promise<void>;
  /** Streams the roots of all accounts in the order of their CIDs, from the first one after `after`. */
  roots(mode: PinMode, after?: CID): AsyncIterable<Root>;
  /**
   * Lists changes of roots of all accounts after a position, or only the current position if it is absent. Resolves to undefined
   * for a position whose changes are no longer listed. Stores of one machine have no list: a comparison of all roots is cheap.
   */
  rootChanges?(position: string | undefined): Promise<RootChanges | undefined>;
  /** Reports whether any account pins a CID in a mode. */
  isPinned(mode: PinMode, cid: CID): Promise<boolean>;
  /**
   * Streams the roots that an account has released and that are not forgotten yet. Blocks below one may be garbage, or be
   * retained by another account that has pinned the root without a walk.
   */
  released(account: string): AsyncIterable<ReleasedRoot>;
  /** Forgets released roots, except those that any account pins at this moment. */
  forgetReleased(account: string, roots: readonly Pick<ReleasedRoot, 'cid' | 'mode'>[]): Promise<void>;
  /** Like {@link forgetReleased}, for all roots that any account released before a time, in milliseconds since 1970. */
  forgetReleasedBefore(time: number): Promise<void>;
  /**
   * Reports whether an earlier version let accounts pin, without a walk, roots that others have released. It did not record
   * which roots.
   */
  hasUntrackedSharing(): Promise<boolean>;
  /** Clears {@link hasUntrackedSharing}, after all blocks were marked as shared. */
  clearUntrackedSharing(): Promise<void>;
  /** Returns the position of the current or last collection. */
  collectionState(): Promise<CollectionState | undefined>;
  setCollectionState(state: CollectionState): Promise<void>;
  /** Takes the right to collect. Resolves to undefined while another process has it. */
  tryLockCollection(): Promise<CollectionLock | undefined>;
  close(): Promise<void>;
}
