/** Limits of the protocol between the services and the IPFS peer. Times in milliseconds, sizes in bytes. */
export const peerApiLimits = {
  /** Body of one call. A call announces up to 10,000 CIDs. */
  requestBytesMax: 1024 * 1024,
  /** Value of one call, and one item of a stream. A service must not run out of memory through its peer. */
  responseBytesMax: 16 * 1024 * 1024,
  itemBytesMax: 1024 * 1024,
  /** CIDs of one call or message. */
  cidsMax: 10_000,
  /** Providers of one fetch or session, and addresses of one provider. */
  providersMax: 64,
  addressesMax: 32,
  /** Wants that one connection keeps open. Further fetches wait in the service. */
  wantsMax: 4096,
  /** Fetches that may be open in a service. */
  fetchesMax: 32_768,
  /** Sessions of one connection. The fetches of further ones share the common session. */
  sessionsMax: 1024,
  /** Connections for fetches to one peer process. */
  connectionsMax: 64,
  /** Calls that the peer works on at a time. */
  callsMax: 256,
  /** One message of the fetch socket. */
  messageBytesMax: 4 * 1024 * 1024,
  /** Unsent bytes at which a side stops to write. */
  bufferedBytesMax: 1024 * 1024,
  /** Messages that wait for the socket at which the peer stops to read. */
  waitingMessagesMax: 8192,
  /** Bytes of blocks in one message, at which no further block is added. */
  blockMessageBytes: 512 * 1024,
  /** Blocks that a service has not read: no further fetch begins, and running fetches end until it reads. */
  heldBytesMax: 16 * 1024 * 1024,
  unreadBytesMax: 64 * 1024 * 1024,
  /** Announced CIDs that wait for a connection. Older ones are dropped: the peer also checks its store periodically. */
  announcesMax: 65_536,
  /** Interval at which the peer reports exchange peers. It is also the sign of life. */
  reportMs: 2000,
  /** Time without a message after which the service opens a new connection. */
  silenceMs: 30_000,
  /** Pause before a new connection: initial and maximum. It doubles with each failure. */
  reconnectMsMin: 50,
  reconnectMsMax: 2000,
  /** Exchange peers of one report. */
  reportedPeersMax: 1000,
} as const;
