/** Limits of the engine. Times in milliseconds, sizes in bytes. Each can be overridden per engine. */
export const bitswapLimits = {
  /** One message on the wire, as in Kubo. */
  messageBytesMax: 4 * 1024 * 1024,
  /** Blocks in one outgoing message. Also the largest block that Kubo accepts. */
  batchBytesMax: 2 * 1024 * 1024,
  /** Largest block that is accepted or served. */
  blockBytesMax: 2 * 1024 * 1024,
  /** Bytes of incomplete incoming messages: of one peer and of all peers. */
  receivingBytesPerPeerMax: 16 * 1024 * 1024,
  receivingBytesMax: 256 * 1024 * 1024,
  /**
   * Incoming streams of one peer; above {@link inFlightMax}. Kubo opens one for its wantlist and one for each response, and a
   * response has one block of 16 KiB or more. The blocks of a refused stream are lost until they are requested again.
   */
  streamsPerPeerMax: 96,
  /** Entries of one kind that are decoded from one message. Further ones are skipped without work. */
  entriesMax: 16_384,
  /** Length of one CID on the wire. A digest of 128 bytes stays below it. */
  cidBytesMax: 160,
  /** Blocks up to this size answer a want-have directly, as in Kubo. */
  inlineBytesMax: 1024,
  /** Wants of one peer that are kept. */
  wantsPerPeerMax: 16_384,
  /** Wants that each peer may keep when {@link wantsMax} is reached. */
  wantsPerPeerMin: 1024,
  /** Wants of all peers that are kept. */
  wantsMax: 262_144,
  /** Peers with a wantlist. Wants of further peers are ignored. */
  peersMax: 1024,
  /** Wants that are answered from one store read. */
  readMax: 512,
  /** Bytes of blocks that are read but not yet accepted by a transport, over all peers. */
  sendingBytesMax: 64 * 1024 * 1024,
  /** Bytes of blocks per second to all peers, and of messages from all peers. Bursts have one second. */
  sendBytesPerSecondMax: Number.POSITIVE_INFINITY,
  receiveBytesPerSecondMax: Number.POSITIVE_INFINITY,
  /** Time limit of one outgoing message. A slower reader loses its stream. */
  sendMs: 60_000,
  /** A message older than this loses its stream when {@link sendingBytesMax} prevents others from being served. */
  stallMs: 5000,
  /** Time that presence answers are cached. */
  presenceMs: 1000,
  /** Number of cached presence answers. */
  presencesMax: 65_536,
  /** Time in which all unanswered wants are checked again, for blocks whose put was not reported, and wants of one step. */
  recheckMs: 10_000,
  recheckMax: 4096,
  /** Requests for blocks in flight to one peer: initial and maximum number. */
  inFlightMin: 16,
  inFlightMax: 64,
  /** A request for a block is repeated after this time. It doubles with each repetition up to the maximum. */
  requestMsMin: 5000,
  requestMsMax: 60_000,
  /** Fetches that may wait at a time. */
  fetchesMax: 32_768,
  /** Peers of one session. */
  sessionPeersMax: 64,
  /** Peers that are asked for the presence of one block at a time. */
  presencePeersMax: 16,
  /** Time without an answer after which a session asks for more providers. */
  searchMs: 1000,
  /** Searches for providers at a time, and the time after which one is repeated for the same block. */
  searchesMax: 8,
  searchAgainMs: 30_000,
  /** Peers that the client keeps: connected ones and providers. Further providers are ignored. */
  remotePeersMax: 4096,
  /** Requests per peer that are remembered, so that a late block is not taken for a wrong one. */
  askedMax: 8192,
  /** Initial and maximum exclusion of a peer that sent a wrong block or an invalid message. It doubles each time. */
  exclusionMsMin: 60_000,
  exclusionMsMax: 24 * 3_600_000,
  /** Excluded peers that are remembered. */
  excludedMax: 16_384,
  /** Time limit to open a stream. */
  openMs: 15_000,
} as const;

export type BitswapLimits = { readonly [Name in keyof typeof bitswapLimits]: number };
