/** Limits of a pool. Times in milliseconds, sizes in bytes. Each can be overridden per pool. */
export const upstreamLimits = {
  /** Time limit of one request over all attempts, in milliseconds. */
  deadlineMs: 10_000,
  /** Time limit of one attempt at one upstream, in milliseconds. */
  attemptMs: 5000,
  /** Maximum number of attempts of one request, including hedges. */
  attemptsMax: 6,
  /** One HTTP answer or WebSocket message. A block with its receipts is the largest regular answer. */
  answerBytesMax: 32 * 1024 * 1024,
  /** Values in one answer, so that parsing ends within a second. 32 MiB of receipts have 800,000. */
  answerValuesMax: 1_000_000,
  /** Incomplete HTTP answers of one upstream together. */
  bufferedBytesMax: 64 * 1024 * 1024,
  /**
   * WebSocket messages that answer no call: bytes at a time and each second. A head takes 2 KB and the hash of a pending transaction
   * 200 bytes; parsing 32 MiB takes a second of the event loop.
   */
  noticeBytesMax: 2 * 1024 * 1024,
  noticeBytesPerSecond: 512 * 1024,
  /** Maximum number of calls in one JSON-RPC batch. Public nodes accept 100 to 1,000. */
  batchMax: 100,
  /** Maximum length of one JSON-RPC batch in bytes. */
  batchBytesMax: 1024 * 1024,
  /** Maximum number of concurrent HTTP requests to one upstream. */
  concurrencyMax: 32,
  /** Maximum number of waiting calls of one upstream. Further calls use another upstream. */
  queueMax: 10_000,
  /** Bounds of the delay before a hedged attempt. The delay is the upstream's p95 within them. */
  hedgeMsMin: 30,
  hedgeMsMax: 500,
  /** Hedged attempts as a share of requests, so that a slow network does not double its own load. */
  hedgeShare: 0.1,
  /** Consecutive failures that open the circuit breaker. */
  failuresMax: 4,
  /** Initial and maximum time in milliseconds that the breaker stays open. */
  openMsMin: 1000,
  openMsMax: 30_000,
  /**
   * Breaker time in milliseconds from which on an upstream counts as down. The other upstreams then decide that a result is
   * absent, a call refused or a method missing; before, such a call fails as unavailable.
   */
  outageMs: 8000,
  /** Upstreams that must lack a result before it counts as absent while another upstream fails. One could be wrong. */
  absencesMin: 2,
  /** Initial and maximum isolation in milliseconds after a wrong answer. */
  isolationMsMin: 10 * 60_000,
  isolationMsMax: 24 * 3_600_000,
  /** A method that an upstream lacks is tried again after this time. */
  unsupportedMs: 3_600_000,
  /** Initial and maximum pause in milliseconds after a rate limit without Retry-After. */
  pauseMsMin: 250,
  pauseMsMax: 30_000,
  /** Maximum Retry-After that is respected, in milliseconds. */
  retryAfterMsMax: 60_000,
  /** Interval of head polls where no subscription works. */
  pollMs: 4000,
  /** A subscription without a head for this time is replaced by a poll until it delivers again. */
  headSilenceMs: 60_000,
  /** Maximum length of the evidence text. */
  evidenceCharactersMax: 16_384,
} as const;

export type UpstreamLimits = { readonly [Name in keyof typeof upstreamLimits]: number };
