import type { CID } from '@cairn/cid';

export interface FetchOptions {
  /** Ends the fetch. */
  readonly signal: AbortSignal;
  /** Multiaddrs of nodes that may have the content; none of them is trusted. */
  readonly origins: readonly string[];
}

/** The port to content that the store lacks. */
export interface ContentSource {
  /** Returns the verified bytes of a block. @throws BLOCK_NOT_FOUND when no source has it in time */
  fetch(cid: CID, options: FetchOptions): Promise<Uint8Array>;
  /** Stores a block and returns its length. Called for blocks without links. Default: `fetch`. @throws as `fetch` */
  fetchSize?(cid: CID, options: FetchOptions): Promise<number>;
}
