import type { LoggedRequest } from '@cairn/metering';

/** Selects requests of the log. Empty: all. */
export interface RequestFilter {
  readonly operation?: string | undefined;
  readonly key?: string | undefined;
  readonly network?: string | undefined;
  readonly origin?: string | undefined;
  readonly outcome?: LoggedRequest['outcome'] | undefined;
  readonly limit?: string | undefined;
  readonly requestId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly from?: number | undefined;
  /** Milliseconds since 1970, exclusive. */
  readonly to?: number | undefined;
}

/** Requests refused by one limit for one operation. */
export interface Refusal {
  readonly limit: string;
  readonly operation: string;
  readonly count: number;
  readonly lastAt: number;
}

/** Requests of one origin. */
export interface OriginGroup {
  /** Empty: requests without the header Origin. */
  readonly origin: string;
  readonly requests: number;
  readonly errors: number;
  readonly limited: number;
}

export interface SelectedRequests {
  readonly requests: readonly LoggedRequest[];
  /** Number of requests that match the filter. */
  readonly matching: number;
  /** Number of requests in the log. */
  readonly logged: number;
  /** Time of the oldest request in the log. */
  readonly since: number | undefined;
  readonly refusals: readonly Refusal[];
  readonly origins: readonly OriginGroup[];
}

/**
 * Reads the whole log of an account, newest first, and selects a page. Groups cover the whole log.
 * @param chunks chunks of the log; the event loop is free between them
 */
export async function selectRequests(
  chunks: AsyncIterable<readonly LoggedRequest[]>,
  filter: RequestFilter,
  { offset, count }: { readonly offset: number; readonly count: number },
): Promise<SelectedRequests> {
  const matching: LoggedRequest[] = [];
  const refusals = new Map<string, Refusal>();
  const origins = new Map<string, OriginGroup>();
  let logged = 0;
  let since: number | undefined;
  for await (const chunk of chunks) {
    for (const request of chunk) {
      logged++;
      since = since === undefined ? request.at : Math.min(since, request.at);
      countRefusal(refusals, request);
      countOrigin(origins, request);
      if (matches(request, filter)) matching.push(request);
    }
    await new Promise(setImmediate);
  }
  // Processes append their chunks independently, so times are in order only within a chunk.
  matching.sort((one, other) => other.at - one.at);
  return {
    requests: matching.slice(offset, offset + count),
    matching: matching.length,
    logged,
    since,
    refusals: [...refusals.values()].sort((one, other) => other.count - one.count),
    origins: [...origins.values()].sort((one, other) => other.requests - one.requests),
  };
}

function matches(request: LoggedRequest, { from, to, requestId, ...names }: RequestFilter): boolean {
  if (from !== undefined && request.at < from) return false;
  if (to !== undefined && request.at >= to) return false;
  if (requestId !== undefined && !request.requestId.startsWith(requestId)) return false;
  return (Object.keys(names) as (keyof typeof names)[]).every(
    (name) => names[name] === undefined || (request[name] ?? '') === names[name],
  );
}

function countRefusal(refusals: Map<string, Refusal>, { outcome, limit, operation, at }: LoggedRequest): void {
  if (outcome !== 'limited' || limit === undefined) return;
  const name = `${limit} ${operation}`;
  const { count = 0, lastAt = 0 } = refusals.get(name) ?? {};
  refusals.set(name, { limit, operation, count: count + 1, lastAt: Math.max(lastAt, at) });
}

function countOrigin(origins: Map<string, OriginGroup>, { origin = '', outcome }: LoggedRequest): void {
  const { requests, errors, limited } = origins.get(origin) ?? { requests: 0, errors: 0, limited: 0 };
  origins.set(origin, {
    origin,
    requests: requests + 1,
    errors: errors + (outcome === 'error' ? 1 : 0),
    limited: limited + (outcome === 'limited' ? 1 : 0),
  });
}
