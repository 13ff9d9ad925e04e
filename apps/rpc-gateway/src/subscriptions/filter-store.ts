import type { ChainPosition } from './chain-path.ts';
import type { FilterTopic } from './filter-events.ts';

/** Place of a filter in the pending transactions of one process, and the time of its last poll in milliseconds since 1970. */
export interface PendingPlace {
  readonly process: string;
  readonly position: number;
  readonly at: number;
}

/** Place up to which a filter has reported its events, rather than the events since. */
export interface FilterPlace {
  readonly seen: ChainPosition;
  /** Present for pending transactions. */
  readonly pending?: PendingPlace | undefined;
}

export interface StoredFilter {
  readonly topic: FilterTopic;
  readonly place: FilterPlace;
  /** Number of advances. */
  readonly version: number;
}

/** Key that has created filters on a network. */
export interface FilterOwner {
  readonly network: string;
  /** Reference of the key. */
  readonly key: string;
}

/** Most filters of one key, and most addresses and topics in all of them. */
export const filterLimits = { filtersMax: 100, valuesMax: 10_000, idleMs: 5 * 60_000 } as const;

/** Port of the filters. A filter ends after 5 minutes without a poll, as in geth. */
export interface FilterStore {
  /** Whether other processes poll the same filters. */
  readonly isShared: boolean;
  /** Adds a filter. Returns false above the limits of a key. */
  add(owner: FilterOwner, id: string, filter: Pick<StoredFilter, 'topic' | 'place'>): Promise<boolean>;
  /** Finds a filter; a poll renews its time. */
  find(owner: FilterOwner, id: string, options?: { readonly isPoll?: boolean }): Promise<StoredFilter | undefined>;
  /** Sets the place of a filter. Returns false if another poll has set it since this version. */
  advance(owner: FilterOwner, id: string, version: number, place: FilterPlace): Promise<boolean>;
  /** Removes a filter. Returns false if there is no such filter. */
  remove(owner: FilterOwner, id: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Counts the addresses and topics of a filter. */
export function valuesOf(topic: FilterTopic): number {
  if (topic.kind !== 'logs') return 0;
  const { addresses, topics } = topic.filter;
  return topics.reduce((sum, { length }) => sum + length, addresses.length);
}
