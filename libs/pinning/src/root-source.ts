import type { CID } from '@cairn/cid';

/** Something beside pins that holds DAGs, such as the file trees of accounts. */
export interface RootSource {
  /** Every root that is held now. A root written down before the call begins is among them. */
  roots(): AsyncIterable<CID>;
  /** Verifies the records of roots before a sweep. @throws STORE_CORRUPT */
  assertConsistent?(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** The roots that one account holds. */
  rootsOf?(account: string): AsyncIterable<CID>;
  /** Bytes that count as held by an account. */
  bytesOf?(account: string): Promise<number>;
  /** Roots that one account held before, as far as they are remembered: what only they reach may be garbage. */
  formerRootsOf?(account: string): AsyncIterable<CID>;
  /** Forgets former roots of an account. */
  forgetFormerRoots?(account: string, roots: readonly CID[]): Promise<void>;
}
