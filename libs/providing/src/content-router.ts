import type { Provider } from '@cairn/block-exchange';
import type { CID } from '@cairn/cid';
import type { Region } from './keyspace.ts';

export interface RouterOptions {
  readonly signal?: AbortSignal;
}

/** Part of the keyspace whose records go to the same nodes. */
export interface AnnounceRegion {
  /** Contains at least the record for which it was opened. */
  readonly region: Region;
  /**
   * Announces that this node has the blocks. Resolves to one boolean per record: whether enough nodes have it. Each node is
   * sent all of its records in few messages.
   */
  announce(records: readonly AnnounceRecord[], options?: RouterOptions): Promise<readonly boolean[]>;
}

export interface AnnounceRecord {
  readonly key: Uint8Array;
  readonly multihash: Uint8Array;
}

/** Port through which this node publishes its records. */
export interface Announcer {
  /**
   * Finds the nodes for the records around one.
   * @throws ROUTING_UNAVAILABLE if no record can be announced now
   */
  openRegion(record: AnnounceRecord, options?: RouterOptions): Promise<AnnounceRegion>;
}

/** Port to a routing system, such as the DHT. Results are not trusted. */
export interface ContentRouter {
  findProviders(cid: CID, options?: RouterOptions): AsyncIterable<Provider>;
  /** Finds the addresses of a node; resolves to undefined if the routing system has none. */
  findPeer(peer: string, options?: RouterOptions): Promise<Provider | undefined>;
}
