const second = 1000;
const minute = 60 * second;

/** Bounds of the schedule and of routers. */
export const limits = {
  /** Records of one transaction and of one call of a router: about 200 KiB. */
  pageRecords: 1000,
  /** Records that are compared with their source in one turn of the event loop. */
  checkedRecords: 256,
  /** Pages of one region before its peers are looked up again: peers leave. */
  regionPagesMax: 50,
  /** Regions that are announced concurrently. Each needs one lookup and up to {@link sendsMax} streams. */
  regionsMax: 4,
  /** Peers to which one region is sent concurrently. */
  sendsMax: 8,
  /** Time of the lookup of a region. */
  lookupMs: 2 * minute,
  /** Time of one page of records. */
  announceMs: 3 * minute,
  /** Time to open a stream to a peer and to send it the records of a page. */
  sendMs: 30 * second,
  /** Wait after the first failure of a record or of the routing system; doubled for each further one. */
  retryMs: 5 * second,
  /** Longest wait before a failed record is announced again. */
  retryMsMax: 30 * minute,
  /** Longest wait while the routing system cannot be reached. */
  offlineMsMax: minute,
  /** Longest sleep of the schedule, so that a change of the clock is noticed. */
  sleepMsMax: minute,
  /** Lookups that complete the set of peers of one region. */
  regionLookupsMax: 16,
  /** Peers of one region. */
  regionPeersMax: 1000,
  /** Bytes of one answer of a delegated router. */
  answerBytesMax: 4 * 1024 * 1024,
  /** Characters of one line of a streamed answer. */
  lineCharactersMax: 64 * 1024,
  /** Providers and peers of one answer of a delegated router. */
  answerRecordsMax: 100,
  /** Addresses of one provider. */
  addressesMax: 32,
  /** Characters of a peer ID. */
  peerCharactersMax: 200,
  /** Characters of a multiaddress. */
  addressCharactersMax: 1000,
  /** Time of one request to a delegated router. */
  requestMs: 20 * second,
} as const;
