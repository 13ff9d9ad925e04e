/** One request as the log of its account shows it. */
export interface LoggedRequest {
  /** End of the request, in milliseconds since 1970. */
  readonly at: number;
  readonly service: string;
  /** JSON-RPC method or storage command. */
  readonly operation: string;
  /** Empty for storage. */
  readonly network: string;
  /** Reference of the key, which is not a credential. */
  readonly key: string;
  readonly outcome: 'ok' | 'error' | 'limited';
  /** Code of the error: a JSON-RPC code, an HTTP status or a name. */
  readonly error?: string | undefined;
  /** Limit that refused the request. */
  readonly limit?: string | undefined;
  readonly durationMs: number;
  readonly credits: number;
  /** Value of the header X-Request-Id. Calls of one batch share it. */
  readonly requestId: string;
  /** Value of the header Origin. */
  readonly origin?: string | undefined;
  /** Number of following requests that were not logged, because the account sent more than the log takes. */
  readonly skipped?: number | undefined;
}

/** Requests that the log of an account keeps. Older ones are removed. */
export const loggedRequestsKept = 10_000;

/** Requests that are stored and removed together. */
export const requestsPerChunk = 100;

/** Full chunks that are kept beside the one that is being filled. */
export const chunksKept = loggedRequestsKept / requestsPerChunk;

/**
 * Port of the request log: the last {@link loggedRequestsKept} requests of each account. Its size is bounded: an account has at most
 * `requestsPerChunk` more. Safe in concurrent processes.
 */
export interface RequestLogStore {
  /** Appends requests of an account and removes the oldest beyond the limit, in one transaction. */
  append(accountId: string, requests: readonly LoggedRequest[]): Promise<void>;
  /** Yields the requests of an account in chunks, newest chunk first, newest request first in a chunk. */
  chunks(accountId: string): AsyncIterable<readonly LoggedRequest[]>;
  close(): Promise<void>;
}

/** Stored form: shorter than an object with field names. */
type Tuple = readonly [
  at: number,
  service: string,
  operation: string,
  network: string,
  key: string,
  outcome: LoggedRequest['outcome'],
  error: string | null,
  limit: string | null,
  durationMs: number,
  credits: number,
  requestId: string,
  origin: string | null,
  skipped: number | null,
];

/** Encodes a chunk as JSON. */
export function encodeChunk(requests: readonly LoggedRequest[]): string {
  const tuples: Tuple[] = requests.map((one) => [
    one.at,
    one.service,
    one.operation,
    one.network,
    one.key,
    one.outcome,
    one.error ?? null,
    one.limit ?? null,
    Math.round(one.durationMs * 100) / 100,
    one.credits,
    one.requestId,
    one.origin ?? null,
    one.skipped ?? null,
  ]);
  return JSON.stringify(tuples);
}

/** Decodes a chunk, in the order in which it was appended. */
export function decodeChunk(text: string): LoggedRequest[] {
  return (JSON.parse(text) as Tuple[]).map(
    ([
      at,
      service,
      operation,
      network,
      key,
      outcome,
      error,
      limit,
      durationMs,
      credits,
      requestId,
      origin,
      skipped,
    ]) => ({
      ...{ at, service, operation, network, key, outcome, durationMs, credits, requestId },
      ...(error !== null && { error }),
      ...(limit !== null && { limit }),
      ...(origin !== null && { origin }),
      ...(skipped !== null && { skipped }),
    }),
  );
}

/** Divides requests into the rest of the last chunk and new chunks. Every chunk but the last is full. */
export function* filledChunks(last: readonly LoggedRequest[], added: readonly LoggedRequest[]) {
  const all = [...last, ...added];
  for (let at = 0; at < all.length; at += requestsPerChunk) yield all.slice(at, at + requestsPerChunk);
}
