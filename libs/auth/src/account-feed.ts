/** Record that the feed reports by its id. */
export type FeedKind = 'account' | 'key';

export interface AccountFeedListener {
  /** Called after a change of an account or key by any process. */
  readonly onChange: (kind: FeedKind, id: string) => void;
  /** Called when changes may have been missed: anything may have changed. */
  readonly onGap: () => void;
  /** Called when all changes before this time have been reported, in milliseconds of `performance.now()`. */
  readonly onConfirmed: (at: number) => void;
  /** Called when changes cannot be read. `onConfirmed` follows when they can again. */
  readonly onFailure: (error: unknown) => void;
}

/** Port of the changes that other processes make to accounts and keys. */
export interface AccountFeed {
  /** Starts reporting. Resolves after the first call of `onConfirmed` or `onFailure`. */
  start(listener: AccountFeedListener): Promise<void>;
  close(): Promise<void>;
}
