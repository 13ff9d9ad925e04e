/** Where a collection stands, kept so that one that was killed goes on. */
export interface CollectionState {
  readonly cycle: number;
  /** Recursive roots are marked first, then those of other sources, then direct ones; then the store is swept. */
  readonly phase: 'recursive' | 'sources' | 'direct' | 'sweep' | 'done';
  /** In hexadecimal: the CID of the last root marked, or the multihash that the sweep goes on from. */
  readonly cursor?: string | undefined;
}

/** What one collection did. */
export interface CollectionReport {
  readonly cycle: number;
  /** Roots walked, and blocks marked as reachable from them. */
  readonly roots: number;
  readonly marked: number;
  /** Blocks removed, and the sum of their lengths. */
  readonly removed: number;
  readonly removedBytes: number;
  /** Milliseconds. */
  readonly duration: number;
  /** Roots whose DAG could not be walked to its end. While there are any, nothing is removed: what they hold is not known. */
  readonly unreadable: readonly { readonly root: string; readonly reason: string }[];
}

/** Result of the collection of one account. */
export interface AccountCollectionReport {
  /** Blocks removed. */
  readonly removed: number;
  /** DAGs of the account that cannot be walked to their end. While there are any, nothing is removed. */
  readonly unreadable: readonly { readonly root: string; readonly reason: string }[];
}
