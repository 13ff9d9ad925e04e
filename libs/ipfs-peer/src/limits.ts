/** Limits of the peer. Times in milliseconds. */
export const peerLimits = {
  /** Bytes of free buffers for received blocks: two groups of blocks that are written while others arrive. */
  freeBufferBytesMax: 16 * 1024 * 1024,
  /** Open connections, and the share of them that stays when the maximum is reached. */
  connectionsMax: 300,
  connectionsKept: 0.75,
  /** Age from which a connection may be closed at the maximum. Before it, the peer may not have sent its first request. */
  connectionGraceMs: 10_000,
  /** Inbound connections before the handshakes, and per second from one host. */
  pendingInboundMax: 64,
  inboundPerSecondMax: 16,
  /** Inbound connections of one host before their handshakes end. Below {@link pendingInboundMax}, so that one host cannot take all. */
  pendingInboundPerHostMax: 24,
  /** Bytes of one WebSocket message. Nodes send one encrypted frame of at most 64 KiB in a message. */
  webSocketMessageBytesMax: 1024 * 1024,
  /** Time in which an inbound connection has to become a WebSocket. */
  webSocketUpgradeMs: 10_000,
  /** Networks of `swarm/filters`. */
  addressFiltersMax: 1000,
  dialsMax: 64,
  dialQueueMax: 512,
  /** Addresses of one peer that are dialled. */
  dialAddressesMax: 16,
  dialMs: 15_000,
  addressDialMs: 6000,
  /** Streams of one connection that wait for a handler. */
  earlyStreamsMax: 64,
  /** Inbound identify streams of one connection. */
  identifyStreamsMax: 4,
  pingStreamsMax: 2,
  pingMs: 10_000,
  /** Inbound DHT streams of one connection. */
  dhtStreamsMax: 32,
  /** Bytes of one inbound DHT request. A provider with 100 addresses takes 6 KiB, an IPNS record at most 10 KiB. */
  requestBytesMax: 64 * 1024,
  /** Bytes of inbound DHT requests per second, of all connections and of one. Bursts have one second. */
  requestBytesPerSecondMax: 4 * 1024 * 1024,
  requestBytesOfConnectionPerSecondMax: 512 * 1024,
  /** Pings of one call. */
  pingsMax: 10_000,
  pingIntervalMs: 1000,
  /** Searches of one kind that callers run at a time. */
  searchesMax: 64,
  /** Time of one search in the DHT. */
  searchMs: 60_000,
  /** Providers of one search, where the caller names no number. */
  providersMax: 20,
  /** Addresses that the operator dialled and that stay allowed. */
  operatorAddressesMax: 1024,
  /** Addresses that one DNS name resolves to. */
  resolvedMax: 8,
  resolveMs: 5000,
  /** Pause before a peering connection is opened again: initial and maximum. It doubles with each failure. */
  peeringMsMin: 1000,
  peeringMsMax: 60_000,
  peeringMax: 256,
  /** Peers that are remembered with addresses and protocols, and the length of one entry. */
  knownPeersMax: 10_000,
  knownPeerBytesMax: 64 * 1024,
  /** Interval of latency measurements of connected peers. */
  latencyMs: 30_000,
  /** Peers that `swarm addrs` lists. */
  listedPeersMax: 1000,
  listedAddressesMax: 16,
  /** Peers, and protocols, whose traffic is counted. */
  countedMax: 1000,
} as const;
