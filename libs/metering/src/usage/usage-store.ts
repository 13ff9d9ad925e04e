import type { UsageCounts, UsageRow, UsageSubject } from './usage.ts';

/** Retention of minute rows, in milliseconds. Hour and day rows are kept for ever. */
export const minutesKeptMs = 3 * 3_600_000;

export type Resolution = 'minute' | 'hour' | 'day';

/** Counts of one minute that one process has added since its last flush. */
export interface UsageDelta extends UsageSubject, UsageCounts {
  /** A time within the minute, in milliseconds since 1970. */
  readonly at: number;
}

/** Bytes that an account had in storage at the end of a minute. */
export interface StoredBytes {
  /** Start of the minute, in milliseconds since 1970. */
  readonly at: number;
  readonly bytes: number;
}

/** A span of time: milliseconds since 1970, the end exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Port of the usage rows. Each change is atomic, durable when its promise resolves, and safe in concurrent processes. */
export interface UsageStore {
  /**
   * Adds counts to the rows of their minute, hour and day, and records key uses and stored bytes, all in one transaction.
   * @param id UUID of the batch, under which it can be repeated after any error: it is stored once. A store whose errors always
   * mean that nothing was stored may ignore it.
   */
  add(
    deltas: readonly UsageDelta[],
    seen: readonly KeyUse[],
    stored: readonly StoredBytesSample[],
    id?: string,
  ): Promise<void>;
  /** Yields the rows of an account in time order. `day` rows start at midnight UTC. */
  rows(accountId: string, span: Span, resolution: Resolution): AsyncIterable<UsageRow>;
  /** Returns the time of the last use of each key of an account, in milliseconds since 1970. */
  lastUsed(accountId: string): Promise<ReadonlyMap<string, number>>;
  /** Returns the samples of stored bytes within the span in time order, preceded by the last sample before it. */
  stored(accountId: string, span: Span): Promise<readonly StoredBytes[]>;
  close(): Promise<void>;
}

/** Use of a key. */
export interface KeyUse {
  readonly accountId: string;
  readonly key: string;
  readonly at: number;
}

/** Bytes that an account has in storage at a time. */
export interface StoredBytesSample {
  readonly accountId: string;
  readonly at: number;
  readonly bytes: number;
}
