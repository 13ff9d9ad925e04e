import type { CID } from '@cairn/cid';

/** The root of the tree of an account. */
export interface TreeRoot {
  readonly cid: CID;
  /** Bytes of the tree as its nodes declare them. */
  readonly bytes: number;
}

/** The port to the records of roots. What resolved is durable. */
export interface RootStore {
  /** Nothing for an account that has never had a file. */
  get(account: string): Promise<TreeRoot | undefined>;
  /** Replaces a root if it is still `before`; false, and no change, if it is not. */
  swap(account: string, before: CID | undefined, next: TreeRoot): Promise<boolean>;
  /** The roots of all accounts, streamed; one that was written before the call is among them. */
  roots(): AsyncIterable<CID>;
  /** Verifies the files of the store and every record of a root. @throws STORE_CORRUPT */
  assertConsistent(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** The root of one account, where it has one. */
  rootsOf(account: string): AsyncIterable<CID>;
  /** What the tree of an account counts towards its quota. */
  bytesOf(account: string): Promise<number>;
  /** The roots that were replaced lately, some thousands at most: what only they reach may be garbage. */
  formerRootsOf(account: string): AsyncIterable<CID>;
  /** Forgets former roots of an account. */
  forgetFormerRoots(account: string, roots: readonly CID[]): Promise<void>;
  close(): Promise<void>;
}
