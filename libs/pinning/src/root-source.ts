import type { CID } from '@cairn/cid';

/** A source of roots that are not pins, such as the file trees of accounts. */
export interface RootSource {
  /** Streams all current roots, including every root that was stored before the call. */
  roots(): AsyncIterable<CID>;
  /** Verifies the records of roots before a sweep. @throws STORE_CORRUPT */
  assertConsistent?(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Streams the roots of one account. */
  rootsOf?(account: string): AsyncIterable<CID>;
  /** Returns the bytes that count for an account. */
  bytesOf?(account: string): Promise<number>;
  /** Streams recorded former roots of one account. Blocks that only they reach may be garbage. */
  formerRootsOf?(account: string): AsyncIterable<CID>;
  /** Forgets former roots of an account. */
  forgetFormerRoots?(account: string, roots: readonly CID[]): Promise<void>;
}
