import type { CID } from '@cairn/cid';
import type { IpnsRecord } from '../ipns-record.ts';
import type { KeyType } from '../public-key.ts';

/** Key of an account as stored. */
export interface StoredKey {
  /** Name that the account gave the key, such as `self`. */
  readonly label: string;
  /** IPNS name of the key. */
  readonly name: CID;
  readonly type: KeyType;
  /** Private key, sealed. */
  readonly sealed: string;
}

/** Keys of accounts, by account and label. */
export interface NameKeys {
  get(account: string, label: string): Promise<StoredKey | undefined>;
  /** Lists the keys of an account by label. Bounded by `limits.keysPerAccountMax`. */
  list(account: string): Promise<readonly StoredKey[]>;
  /** @throws IPNS_KEY_EXISTS, NAMES_FULL */
  add(account: string, key: StoredKey): Promise<void>;
  /**
   * Gives a key another label; `isForced` replaces the key that has it.
   * @returns the key, and whether another one was replaced
   * @throws IPNS_KEY_UNKNOWN, IPNS_KEY_EXISTS
   */
  rename(
    account: string,
    labels: { readonly from: string; readonly to: string; readonly isForced?: boolean },
  ): Promise<{ readonly key: StoredKey; readonly isReplaced: boolean }>;
  /** @throws IPNS_KEY_UNKNOWN */
  remove(account: string, label: string): Promise<StoredKey>;
  /** Replaces sealed keys in one transaction, for the rotation of the sealing key. Returns the number of changed ones. */
  changeSecrets(change: (sealed: string, place: string) => string): Promise<number>;
}

/** Publisher of a record that this deployment signs. */
export interface RecordOwner {
  /** Milliseconds for which records of the name are valid. */
  readonly lifetimeMs: number;
  readonly hasV1: boolean;
}

/** Newest record of a name. */
export interface StoredRecord {
  readonly name: CID;
  readonly bytes: Uint8Array;
  readonly fields: IpnsRecord;
  /** Account that pays for the storage: the one that stored the record. */
  readonly account: string;
  /** Present for a name whose key is here: it is signed again before the end of its validity. */
  readonly owner?: RecordOwner;
  /** Time in milliseconds since 1970 of the last successful put to the network; absent before the first. */
  readonly announcedMs?: number;
}

export interface PutOptions {
  readonly account: string;
  readonly owner?: RecordOwner;
  /**
   * Stores the record only if the stored one that has not expired has this sequence (`undefined`: only if there is none),
   * so that concurrent publishers take turns.
   */
  readonly expected?: { readonly sequence: bigint | undefined };
}

/** Outcome of a put: `older` if the stored record is newer, `changed` if it is not the expected one. */
export type PutOutcome = 'stored' | 'older' | 'changed';

export interface RecordCounts {
  readonly records: number;
  readonly bytes: number;
}

/** Newest valid record of each name. */
export interface NameRecords {
  /** Returns the record of a name that has not expired. */
  get(name: CID): Promise<StoredRecord | undefined>;
  /** Returns the greatest sequence of a name that was ever stored for an account's own key, also after expiry. */
  sequenceOf(account: string, name: CID): Promise<bigint | undefined>;
  /**
   * Verifies a record and stores it if it is the newest one. Durable when it resolves. Equal records count as stored.
   * @throws IPNS_RECORD_INVALID, NAMES_FULL
   */
  put(name: CID, bytes: Uint8Array, options: PutOptions): Promise<PutOutcome>;
  /**
   * Returns records that have to be put to the network or signed again, and defers each to `retryMs`, so that no other
   * process takes it and a crash repeats it.
   */
  takeDue(limits: { readonly nowMs: number; readonly retryMs: number; readonly max: number }): Promise<StoredRecord[]>;
  /**
   * Stores the time of a put to the network, and that of the next one; absent: none. Changes nothing if the record was
   * replaced meanwhile.
   */
  settle(record: StoredRecord, times: { readonly announcedMs?: number; readonly nextMs?: number }): Promise<void>;
  /** Streams the records that have not expired, in the order of their names. */
  list(): AsyncIterable<StoredRecord>;
  /** Raises the greatest sequence of a name of an account, such as that of a copied key. A smaller one changes nothing. */
  raiseSequence(account: string, name: CID, sequence: bigint): Promise<void>;
  /** Removes expired records, at most `max`. Returns their number. */
  removeExpired(nowMs: number, max: number): Promise<number>;
  counts(account?: string): Promise<RecordCounts>;
  /** Time of the oldest of the last puts to the network that are repeated; undefined without any. */
  oldestAnnouncedMs(): Promise<number | undefined>;
  /** Number of records, also of expired ones that are not removed yet. */
  recordCount(): Promise<number>;
  /** Number of records in the schedule. */
  scheduledCount(): Promise<number>;
}

/** Keys and records of names. Several processes may use one store. */
export interface NameStore {
  readonly keys: NameKeys;
  readonly records: NameRecords;
  /** Reads every record. @throws STORE_CORRUPT */
  assertConsistent(options?: { readonly signal?: AbortSignal }): Promise<void>;
  close(): Promise<void>;
}
