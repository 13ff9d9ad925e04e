/** Position of a collection, stored so that a killed one resumes. */
export interface CollectionState {
  readonly cycle: number;
  /** Recursive roots are marked first, then root sources, then direct roots. Then the store is swept. */
  readonly phase: 'recursive' | 'sources' | 'direct' | 'sweep' | 'done';
  /** Position in the phase, in hexadecimal: the CID of the last marked root, or the first multihash of the next sweep step. */
  readonly cursor?: string | undefined;
}

/** Result of a collection of the whole store. */
export interface CollectionReport {
  readonly cycle: number;
  /** Number of walked roots. */
  readonly roots: number;
  /** Number of blocks marked as reachable. */
  readonly marked: number;
  /** Number of removed blocks. */
  readonly removed: number;
  /** Sum of the lengths of the removed blocks. */
  readonly removedBytes: number;
  /** Milliseconds. */
  readonly duration: number;
  /** Roots whose DAG cannot be walked. While there are any, nothing is removed, since their blocks are unknown. */
  readonly unreadable: readonly { readonly root: string; readonly reason: string }[];
}

/** Result of a collection of one account. */
export interface AccountCollectionReport {
  /** Number of removed blocks. */
  readonly removed: number;
  /** Roots of the account whose DAG cannot be walked. While there are any, nothing is removed. */
  readonly unreadable: readonly { readonly root: string; readonly reason: string }[];
}
