import type { UsageCounts, UsageRow, UsageSubject } from './usage.ts';

/** Minutes are kept for this long, in milliseconds; hours and days for good. */
export const minutesKeptMs = 3 * 3_600_000;

export type Resolution = 'minute' | 'hour' | 'day';

/** What one process has counted since it last told, of one minute. */
export interface UsageDelta extends UsageSubject, UsageCounts {
  /** When the minute begins, in milliseconds since 1970. */
  readonly at: number;
}

/** How much an account holds in storage. */
export interface StoredBytes {
  /** When the minute begins, in milliseconds since 1970. */
  readonly at: number;
  readonly bytes: number;
}

/** A span of time: milliseconds since 1970, the end exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The port to the ledger of usage. Changes are durable and whole when they resolve, whichever processes make them. */
export interface UsageStore {
  /** Adds counts to those of their minutes, hours and days, and `lastUsed` times of keys, all or nothing. */
  add(deltas: readonly UsageDelta[], seen: readonly KeySeen[], stored: readonly StoredSeen[]): Promise<void>;
  /** Rows of an account in order of time; `day` rows begin at midnight UTC. */
  rows(accountId: string, span: Span, resolution: Resolution): AsyncIterable<UsageRow>;
  /** Last uses of an account's keys, in milliseconds since 1970. */
  lastUsed(accountId: string): Promise<ReadonlyMap<string, number>>;
  /** What was held at the end of minutes in which it changed, in order of time, with the last one before the span. */
  stored(accountId: string, span: Span): Promise<readonly StoredBytes[]>;
  close(): Promise<void>;
}

/** A key was used. */
export interface KeySeen {
  readonly accountId: string;
  readonly key: string;
  readonly at: number;
}

/** An account holds this much now. */
export interface StoredSeen {
  readonly accountId: string;
  readonly at: number;
  readonly bytes: number;
}
