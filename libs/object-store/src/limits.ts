const MiB = 1024 * 1024;

/** Limits of one store; times in milliseconds. */
export const objectStoreLimits = {
  /** Connections. More requests wait. */
  connectionsMax: 32,
  connectMs: 3000,
  /** Time without progress of a request or of its response. */
  idleMs: 15_000,
  /** Time of one call with all its attempts. A call that moves more bytes than the store delivers in this time fails. */
  callMs: 120_000,
  /** Requests of one call. */
  attemptsMax: 5,
  /** Requests of one call that end after `idleMs`. A client must not wait for a server that hangs until all attempts have. */
  silentAttemptsMax: 2,
  /** First pause between attempts. It doubles, with jitter. */
  pauseMs: 50,
  pauseMsMax: 5000,
  /** Largest object of `put`, and of `get` by default. `putStream` and `stream` have no such limit. */
  objectBytesMax: 64 * MiB,
  /** Part of `putStream` and `stream`. All parts of an upload have this length, since R2 requires equal parts. */
  partBytes: 16 * MiB,
  /** Parts of an object (rule of S3): `putStream` writes up to 156 GiB. */
  partsMax: 10_000,
  /** Parts of one `putStream` that are uploaded concurrently. */
  partsInFlightMax: 3,
  /** Bytes of a key with the prefix (rule of S3). */
  keyBytesMax: 1024,
  /** Keys of one request to delete or to list (rule of S3). */
  keysPerRequestMax: 1000,
  /** Bytes of a response that describes a result: a page of 1,000 keys has at most about 2 MiB. */
  answerBytesMax: 8 * MiB,
} as const;
