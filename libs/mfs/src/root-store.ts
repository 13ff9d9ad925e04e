import type { CID } from '@cairn/cid';

/** Maximum number of former roots per account. Garbage below older ones is removed by a collection of the whole store. */
export const formerRootsMax = 4096;

/** Root of an account's tree. */
export interface TreeRoot {
  readonly cid: CID;
  /** Bytes of the tree, as its nodes declare them. */
  readonly bytes: number;
}

export interface SwapConditions {
  readonly fence?: string | undefined;
}

/**
 * Port of the roots of file trees. A change is durable when its promise resolves, and the next read of every process sees
 * it.
 */
export interface RootStore {
  /** Returns the root of an account; `undefined` for an account that never had a file. */
  get(account: string): Promise<TreeRoot | undefined>;
  /**
   * Replaces a root if it is still `before`, and if the hold of the fence is in force (see `Hold` of `@cairn/blockstore`).
   * Otherwise returns false and changes nothing. Stores on LMDB ignore the fence.
   */
  swap(account: string, before: CID | undefined, next: TreeRoot, conditions?: SwapConditions): Promise<boolean>;
  /** Streams the roots of all accounts, including every root stored before the call. */
  roots(): AsyncIterable<CID>;
  /** Verifies the files of the store and every record. @throws STORE_CORRUPT */
  assertConsistent(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Yields the root of one account, if it has one. */
  rootsOf(account: string): AsyncIterable<CID>;
  /** Returns the bytes that the tree of an account counts towards its quota. */
  bytesOf(account: string): Promise<number>;
  /** Yields recently replaced roots, at most the last 4,096: blocks reachable only from them may be garbage. */
  formerRootsOf(account: string): AsyncIterable<CID>;
  /** Removes former roots of an account from the record. */
  forgetFormerRoots(account: string, roots: readonly CID[]): Promise<void>;
  close(): Promise<void>;
}
