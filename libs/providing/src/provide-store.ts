import type { CID } from '@cairn/cid';
import type { Region } from './keyspace.ts';

/** Announcement of one multihash. */
export interface ProvideRecord {
  /** Position in the keyspace: SHA-256 of the multihash. */
  readonly key: Uint8Array;
  readonly multihash: Uint8Array;
  /** Milliseconds since 1970 of the last announcement; absent before the first one. */
  readonly announcedAt?: number;
  /** Time of the next announcement; 0 for a new record. */
  readonly dueAt: number;
  /** Failures since the last announcement. */
  readonly failures: number;
}

/** Change of a record. */
export interface Settlement {
  readonly key: Uint8Array;
  readonly dueAt: number;
  readonly failures: number;
  /** Time of the announcement; absent to keep the earlier one. */
  readonly announcedAt?: number;
}

export interface ProvideCounts {
  readonly records: number;
  /** Records that were never announced. */
  readonly waiting: number;
  /** Time of the oldest announcement. */
  readonly oldestAt?: number;
}

/**
 * Port to the records that this node keeps alive in the routing system. CIDs with one multihash share one record. The
 * change of each record is atomic. Changes are durable once resolved. Records are in the order of the keyspace.
 */
export interface ProvideStore {
  /**
   * Adds CIDs. A new record is due immediately, before all others unless `dueAt` is given. Resolves to the number of new
   * records.
   */
  add(cids: readonly CID[], options?: { readonly dueAt?: number }): Promise<number>;
  /** Removes CIDs. A record without CIDs is removed. Resolves to the number of removed records. */
  remove(cids: readonly CID[]): Promise<number>;
  has(cid: CID): Promise<boolean>;
  get(key: Uint8Array): Promise<ProvideRecord | undefined>;
  /** Returns the CIDs of a record. */
  cidsOf(key: Uint8Array): Promise<readonly CID[]>;
  /** Returns the record of a sector with the earliest `dueAt`. One seek. */
  firstDue(sector: number): Promise<ProvideRecord | undefined>;
  /** Returns records of a region in the order of their keys. */
  inRegion(
    region: Region,
    options: { readonly after?: Uint8Array | undefined; readonly limit: number },
  ): Promise<readonly ProvideRecord[]>;
  /** Changes records. A record that was removed meanwhile stays removed. */
  settle(settlements: readonly Settlement[]): Promise<void>;
  counts(): Promise<ProvideCounts>;
  close(): Promise<void>;
}
