/** Limits of an exchange over HTTP. Times in milliseconds, sizes in bytes. */
export const httpExchangeLimits = {
  /** Largest block: the limit of `application/vnd.ipld.raw` in the trustless gateway specification. */
  blockBytesMax: 2 * 1024 * 1024,
  /** Time of one request. */
  requestMs: 15_000,
  /** Concurrent requests: of all hosts and of one. */
  requestsMax: 128,
  requestsPerHostMax: 16,
  /** Blocks that are fetched or wait. */
  fetchesMax: 8192,
  /** Hosts of one fetch that are asked concurrently. */
  hedgesMax: 3,
  /** Time after which the next host is asked: the 95th percentile of the host within these bounds. */
  hedgeMsMin: 100,
  hedgeMsMax: 3000,
  /** Pause before the hosts are asked again for a block that none has. It doubles up to the maximum. */
  againMsMin: 100,
  againMsMax: 30_000,
  /** Pause after a failure of a host. It doubles with each further one up to the maximum. */
  backOffMsMin: 1000,
  backOffMsMax: 120_000,
  /** Exclusion after wrong bytes or a redirect to another host. It doubles each time up to the maximum. */
  exclusionMsMin: 600_000,
  exclusionMsMax: 24 * 3_600_000,
  /** Longest `Retry-After` of a host that is honoured. */
  retryAfterMsMax: 600_000,
  /** Hosts found in the network that are remembered, and those of one fetch. */
  hostsMax: 1024,
  hostsPerFetchMax: 16,
  /** Redirects within a host. */
  redirectsMax: 2,
} as const;

export type HttpExchangeLimits = { readonly [Name in keyof typeof httpExchangeLimits]: number };
