/** Limits of the commands about the network. */
export const peerLimits = {
  /** Milliseconds that one search, dial or publication may take. */
  queryMsMax: 60_000,
  /** Milliseconds that one ping may take, as in Kubo. */
  pingMsMax: 10_000,
  pingsMax: 100,
  /** Milliseconds between two pings, as in Kubo. */
  pingIntervalMs: 1000,
  providersMax: 1000,
  /** Lines about the progress of one search. Providers and results are reported beyond them. */
  progressLinesMax: 10_000,
  /** Network requests under way: of one account, and of all. Each has a connection to the process of the peer. */
  accountQueriesMax: 8,
  queriesMax: 64,
  /** Blocks that one request announces. */
  announcedMax: 10_000,
  /** Bytes of a record of the routing system (IPNS: 10 KiB). */
  recordBytesMax: 10 * 1024,
  /** Descriptions of peers that one response requests concurrently. */
  describedAtOnce: 16,
  /** Characters of a peer ID. Base58 takes quadratic time. */
  peerIdCharactersMax: 256,
} as const;
