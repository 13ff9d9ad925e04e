import type { CID } from '@cairn/cid';
import type { CollectionState } from './collection-report.ts';
import type { DagSize } from './walk-dag.ts';

/** `recursive` keeps the whole DAG, `direct` the one block. */
export type PinMode = 'recursive' | 'direct';

export interface Pin {
  readonly cid: CID;
  readonly mode: PinMode;
  /** A label of the account's own; not unique. */
  readonly name: string | undefined;
  /** Name of the file or directory that was added as this root, for people: Kubo's API reports {@link name} only. */
  readonly addedAs?: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** What the pin holds, counted when it was made. */
  readonly size: DagSize;
}

/** Sum over the pins of an account: each pinned DAG counts once, whatever it shares with others. */
export interface Usage {
  readonly pins: number;
  readonly blocks: number;
  readonly bytes: number;
}

/** What an account may hold. */
export interface Quota {
  /** In all, in bytes; absent where there is no quota. */
  readonly bytesMax?: number | undefined;
  /** What the account holds beside its pins, such as its files. Default 0. */
  readonly otherBytes?: number;
}

/** A CID that some account pins. */
export interface Root {
  readonly cid: CID;
  /** Number of accounts that pin it in this mode. */
  readonly count: number;
  readonly size: DagSize;
}

/** A root that an account has pinned and pins no more in this mode. */
export interface ReleasedRoot {
  readonly cid: CID;
  readonly mode: PinMode;
  /** True while some account pins it in this mode. */
  readonly isPinned: boolean;
}

/** A right that one process at a time has. */
export interface CollectionLock {
  /** Keeps it for longer; false when it was lost. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * The port to the records of pins. Every call that changes something is atomic and durable when it resolves, and its
 * cost does not grow with the number of pins in the store.
 */
export interface PinStore {
  /**
   * Makes or replaces pins; usage and roots follow in the same step.
   * @throws QUOTA_EXCEEDED where usage grows beyond the quota, and changes nothing
   */
  put(account: string, pins: readonly Pin[], quota?: Quota): Promise<void>;
  /**
   * As {@link put}, for one pin of a CID that some account already pins in this mode, and whose size is thus known.
   * Resolves to nothing, and changes nothing, when nobody does.
   * @throws QUOTA_EXCEEDED
   */
  putKnownRoot(account: string, pin: Omit<Pin, 'size'>, quota?: Quota): Promise<Pin | undefined>;
  /**
   * Removes all of these pins, or none. Each root is listed as {@link released} from then on.
   * @throws PIN_NOT_FOUND for the first one that the account has not
   */
  remove(account: string, cids: readonly CID[]): Promise<void>;
  get(account: string, cid: CID): Promise<Pin | undefined>;
  /** The pins of an account in the order of their CIDs, streamed. */
  list(account: string): AsyncIterable<Pin>;
  usage(account: string): Promise<Usage>;
  /**
   * Compares pins with usage and roots, which are counted apart from them, and verifies the files of the store. A sweep
   * begins only after it. With an account, counts only its pins.
   * @throws STORE_CORRUPT naming what disagrees
   */
  assertConsistent(options?: { readonly account?: string; readonly signal?: AbortSignal }): Promise<void>;
  /** The roots of all accounts in the order of their CIDs, streamed; those after `after` only. */
  roots(mode: PinMode, after?: CID): AsyncIterable<Root>;
  /** Whether some account pins a CID in a mode. */
  isPinned(mode: PinMode, cid: CID): Promise<boolean>;
  /**
   * Roots that an account has released and that are not forgotten yet, streamed. Blocks below one may be garbage, or be
   * held by another account that has pinned it without a walk.
   */
  released(account: string): AsyncIterable<ReleasedRoot>;
  /** Forgets released roots, except those that some account pins at this moment. */
  forgetReleased(account: string, roots: readonly Pick<ReleasedRoot, 'cid' | 'mode'>[]): Promise<void>;
  /** As {@link forgetReleased}, for all accounts and roots released before a moment, in milliseconds since 1970. */
  forgetReleasedBefore(time: number): Promise<void>;
  /**
   * True in a store of an earlier version in which accounts pin, without a walk, roots that others have released: nothing
   * tells which.
   */
  hasUntrackedSharing(): Promise<boolean>;
  /** Called when no block counts as put by one owner any more: unknown shares do no harm from then on. */
  clearUntrackedSharing(): Promise<void>;
  /** How far the collection of garbage has come. */
  collectionState(): Promise<CollectionState | undefined>;
  setCollectionState(state: CollectionState): Promise<void>;
  /** The right to collect, or nothing while another process has it. */
  tryLockCollection(): Promise<CollectionLock | undefined>;
  close(): Promise<void>;
}
