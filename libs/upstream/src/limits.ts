/** Limits of a pool. Times in milliseconds, sizes in bytes. Each can be overridden per pool. */
export const upstreamLimits = {
  /** Deadline of one request over all attempts. */
  deadlineMs: 10_000,
  /** One attempt at one upstream. */
  attemptMs: 5000,
  /** Attempts of one request, hedges included. */
  attemptsMax: 6,
  /** One HTTP answer or WebSocket message. A block with its receipts is the largest regular answer. */
  answerBytesMax: 32 * 1024 * 1024,
  /** Calls in one JSON-RPC batch. Public nodes accept 100 to 1,000. */
  batchMax: 100,
  /** Text of one JSON-RPC batch. */
  batchBytesMax: 1024 * 1024,
  /** Concurrent HTTP requests of one upstream. */
  concurrencyMax: 32,
  /** Waiting calls of one upstream. Further ones fail over. */
  queueMax: 10_000,
  /** Bounds of the delay before a hedged attempt. The delay is the upstream's p95 within them. */
  hedgeMsMin: 30,
  hedgeMsMax: 500,
  /** Hedged attempts as a share of requests, so that a slow network does not double its own load. */
  hedgeShare: 0.1,
  /** Consecutive failures that open the circuit breaker. */
  failuresMax: 4,
  /** First and longest time that the breaker stays open. */
  openMsMin: 1000,
  openMsMax: 30_000,
  /** First and longest isolation after a wrong answer. */
  isolationMsMin: 10 * 60_000,
  isolationMsMax: 24 * 3_600_000,
  /** A method that an upstream lacks is tried again after this time. */
  unsupportedMs: 3_600_000,
  /** First and longest pause after a rate limit without Retry-After. */
  pauseMsMin: 250,
  pauseMsMax: 30_000,
  /** Longest Retry-After that is respected. */
  retryAfterMsMax: 60_000,
  /** Interval of head polls where no subscription works. */
  pollMs: 4000,
  /** A subscription without a head for this time is replaced by a poll until it delivers again. */
  headSilenceMs: 60_000,
  /** Longest text of evidence. */
  evidenceCharactersMax: 16_384,
} as const;

export type UpstreamLimits = { readonly [Name in keyof typeof upstreamLimits]: number };
