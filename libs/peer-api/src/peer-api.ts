import type { BlockExchange, Provider } from '@cairn/block-exchange';
import type { CID } from '@cairn/cid';

export interface Cancellable {
  readonly signal?: AbortSignal;
}

/** Description of a node. */
export interface NodeDescription {
  /** Peer ID in text form. */
  readonly id: string;
  /** Public key: libp2p's protobuf in base64. */
  readonly publicKey: string;
  /** Multiaddresses that end with `/p2p/<peer ID>`. */
  readonly addresses: readonly string[];
  readonly agentVersion: string;
  readonly protocolVersion: string;
  readonly protocols: readonly string[];
}

export interface ConnectedPeer {
  readonly peer: string;
  readonly address: string;
  readonly direction: 'inbound' | 'outbound';
  readonly agentVersion?: string;
  /** Round trip in milliseconds; absent before the first ping. */
  readonly latencyMs?: number;
  /** Protocols of the open streams. */
  readonly streams: readonly string[];
}

export interface BitswapStatus {
  readonly wantlist: readonly CID[];
  readonly peers: readonly string[];
  readonly blocksReceived: number;
  readonly bytesReceived: number;
  readonly duplicateBlocks: number;
  readonly duplicateBytes: number;
  readonly blocksSent: number;
  readonly bytesSent: number;
  readonly messagesReceived: number;
}

export interface PeerLedger {
  readonly peer: string;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly exchangedBlocks: number;
}

/** Progress of a query in the routing system. */
export type RoutingEvent =
  | { readonly type: 'query'; readonly peer: string }
  | { readonly type: 'response'; readonly peer: string; readonly closer: readonly Provider[] }
  | { readonly type: 'provider'; readonly provider: Provider }
  | { readonly type: 'peer'; readonly provider: Provider }
  | { readonly type: 'value'; readonly value: Uint8Array }
  | { readonly type: 'error'; readonly peer?: string; readonly message: string };

export interface Bandwidth {
  readonly totalIn: number;
  readonly totalOut: number;
  /** Bytes per second. */
  readonly rateIn: number;
  readonly rateOut: number;
}

/** State of the announcements of this node. */
export interface ProvideStatus {
  /** Roots or blocks whose records are kept alive. */
  readonly records: number;
  readonly waiting: number;
  readonly announced: number;
  readonly failed: number;
  /** Seconds since the oldest record was announced; absent without records. */
  readonly oldestSeconds?: number;
  /** False while the routing system cannot be reached. */
  readonly isOnline?: boolean;
}

export interface DhtStatus {
  readonly mode: 'client' | 'server' | 'none';
  readonly buckets: readonly { readonly prefixBits: number; readonly peers: readonly string[] }[];
}

export interface Ping {
  readonly isSuccess: boolean;
  readonly latencyMs: number;
  readonly text: string;
}

export interface DescribeOptions extends Cancellable {
  /** Describes another node by what this one knows, without a search. Default false. */
  readonly isLocal?: boolean;
}

/**
 * Port to the IPFS peer. The peer runs in a process of its own, so that network load and faults stay out of the other
 * services. `exchange` fetches through it: it returns verified bytes, which the caller stores.
 */
export interface PeerApi {
  readonly exchange: BlockExchange;
  /** Describes this node, or another one after a search for it. @throws PEER_NOT_FOUND */
  describe(peer?: string, options?: DescribeOptions): Promise<NodeDescription>;
  readonly swarm: {
    peers(): Promise<readonly ConnectedPeer[]>;
    /** Addresses of all known peers. */
    addresses(): Promise<ReadonlyMap<string, readonly string[]>>;
    listenAddresses(): Promise<readonly string[]>;
    /** @throws ADDRESS_INVALID, ADDRESS_REFUSED, DIAL_FAILED */
    connect(address: string, options?: Cancellable): Promise<{ readonly peer: string }>;
    /** @throws ADDRESS_INVALID, PEER_NOT_CONNECTED */
    disconnect(address: string): Promise<{ readonly peer: string }>;
    peering(): Promise<readonly Provider[]>;
    addPeering(address: string): Promise<{ readonly peer: string }>;
    removePeering(peer: string): Promise<void>;
    /** Networks with which no new connection is opened, such as `/ip4/10.0.0.0/ipcidr/8`. */
    filters(): Promise<readonly string[]>;
    /** Adds filters durably, all or none. @throws ADDRESS_INVALID, ADDRESS_FILTERS_FULL */
    addFilters(filters: readonly string[]): Promise<void>;
    /** Removes filters and returns those that existed; `all` removes all. @throws ADDRESS_INVALID */
    removeFilters(filters: readonly string[]): Promise<readonly string[]>;
  };
  readonly bitswap: {
    status(): Promise<BitswapStatus>;
    wantlist(peer?: string): Promise<readonly CID[]>;
    ledger(peer: string): Promise<PeerLedger>;
  };
  readonly routing: {
    findProviders(cid: CID, options?: Cancellable & { readonly count?: number }): AsyncIterable<RoutingEvent>;
    findPeer(peer: string, options?: Cancellable): AsyncIterable<RoutingEvent>;
    /** Searches for the nodes of the DHT that are closest to a peer ID, or to the hash of a CID. */
    findClosest(key: string, options?: Cancellable): AsyncIterable<RoutingEvent>;
    /** Announces blocks immediately, apart from the schedule. */
    provide(cids: readonly CID[], options?: Cancellable): AsyncIterable<RoutingEvent>;
    /** Reads the best valid record of a key, such as `/ipns/` and the bytes of a name. @throws RECORD_NOT_FOUND */
    get(key: Uint8Array, options?: Cancellable): Promise<Uint8Array>;
    /** Stores a record. @throws RECORD_INVALID, ROUTING_UNAVAILABLE */
    put(key: Uint8Array, value: Uint8Array, options?: Cancellable): Promise<void>;
    status(): Promise<DhtStatus>;
  };
  ping(peer: string, options?: Cancellable & { readonly count?: number }): AsyncIterable<Ping>;
  bootstrapAddresses(): Promise<readonly string[]>;
  bandwidth(options?: { readonly peer?: string; readonly protocol?: string }): Promise<Bandwidth>;
  readonly provide: {
    status(): Promise<ProvideStatus>;
    /** Reports roots that were pinned, so that they are announced within seconds. */
    added(roots: readonly CID[]): Promise<void>;
    /** Reports roots without a pin, so that their records are no longer repeated. */
    removed(roots: readonly CID[]): Promise<void>;
  };
  close(): Promise<void>;
}
