import { isIP } from 'node:net';
import { isCairnError } from '@cairn/errors';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { addressRefused, PublicHttpError } from './errors.ts';
import { createPinnedLookup, type ResolveHost } from './pinned-lookup.ts';
import { isPublicAddress } from './public-address.ts';

export interface PublicHttpOptions {
  /** Permits private and loopback addresses, for hosts that an operator has named. Default: false. */
  readonly allowsPrivate?: boolean;
  /** Connections to one origin. Default: 8. */
  readonly connectionsPerOrigin?: number;
  /** Origins with open connections. Default: 256. */
  readonly originsMax?: number;
  /** Default: the resolver of the system. */
  readonly resolveHost?: ResolveHost;
  /** Certificates of further authorities in PEM, for tests and private authorities. */
  readonly authorities?: string;
}

export interface HttpRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Maximum length of the response body. A longer one ends the connection. */
  readonly bytesMax: number;
  /** Time for the whole request with its redirects, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Redirects within the same origin that are followed. A redirect to another origin is refused. Default: 0. */
  readonly redirectsMax?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Header fields with names in lower case. Repeated fields are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** HTTP client for hosts that others name. */
export interface PublicHttp {
  /**
   * Sends a request and reads the bounded response. TLS certificates are verified.
   * @throws HTTP_ADDRESS_REFUSED, HTTP_URL_INVALID, HTTP_REDIRECT_REFUSED, HTTP_BODY_TOO_LARGE, HTTP_TIMEOUT,
   * HTTP_FAILED, HTTP_CLOSED, the reason of the signal
   */
  request(url: string | URL, request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

const headerBytesMax = 16 * 1024;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function createPublicHttp(options: PublicHttpOptions = {}): PublicHttp {
  return new Client(options);
}

class Client implements PublicHttp {
  /** Made for the first request, since its package is large. */
  #agent: Promise<Agent> | undefined;
  readonly #makeAgent: () => Promise<Agent>;
  readonly #allowsPrivate: boolean;
  #isClosed = false;

  constructor({
    allowsPrivate = false,
    connectionsPerOrigin = 8,
    originsMax = 256,
    resolveHost,
    authorities,
  }: PublicHttpOptions) {
    this.#allowsPrivate = allowsPrivate;
    this.#makeAgent = async () => {
      // The bundle of a service has CommonJS modules as their default alone.
      const { Agent, buildConnector } = (await import('undici')).default;
      const connect = buildConnector({
        timeout: 10_000,
        ...(!allowsPrivate && { lookup: createPinnedLookup(resolveHost) }),
        ...(authorities !== undefined && { ca: authorities }),
      });
      return new Agent({
        connections: connectionsPerOrigin,
        maxOrigins: originsMax,
        pipelining: 1,
        maxHeaderSize: headerBytesMax,
        keepAliveTimeout: 30_000,
        connect: allowsPrivate ? connect : toPublicAddresses(connect),
      });
    };
  }

  async request(url: string | URL, request: HttpRequest): Promise<HttpResponse> {
    const target = parseUrl(url);
    if (this.#isClosed)
      throw new PublicHttpError('HTTP_CLOSED', `The HTTP client is closed; ${target.host} was not asked.`);
    request.signal?.throwIfAborted();
    const controller = new AbortController();
    const onAbort = () => controller.abort(request.signal?.reason);
    request.signal?.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => controller.abort(timedOut(target, request.timeoutMs)), request.timeoutMs);
    try {
      return await this.#follow(target, request, controller.signal);
    } catch (error) {
      if (controller.signal.aborted) throw controller.signal.reason;
      if (isCairnError(error)) throw error;
      throw new PublicHttpError('HTTP_FAILED', `The request to ${target.host} failed: ${reasonOf(error)}.`, {
        details: { host: target.host },
        cause: error,
      });
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', onAbort);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#agent)?.destroy();
  }

  async #follow(start: URL, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    let url = start;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#send(url, request, signal);
      const { location } = response.headers;
      if (!redirectStatuses.has(response.status) || location === undefined) return response;
      const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
      if (next?.origin !== url.origin || redirects >= (request.redirectsMax ?? 0))
        throw new PublicHttpError('HTTP_REDIRECT_REFUSED', `Host ${url.host} redirects to ${next?.host ?? 'no URL'}.`, {
          hint: 'Name the final URL.',
          details: { host: url.host, status: response.status },
        });
      url = next;
    }
  }

  async #send(url: URL, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    // A literal address is not looked up, so it is tested here; a connector tests it again.
    if (!this.#allowsPrivate) assertPublicLiteral(url.hostname);
    this.#agent ??= this.#makeAgent();
    const { statusCode, headers, body } = await (await this.#agent).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method ?? 'GET',
      headers: { 'accept-encoding': 'identity', ...request.headers },
      ...(request.body !== undefined && { body: request.body }),
      signal,
      headersTimeout: request.timeoutMs,
      bodyTimeout: request.timeoutMs,
    });
    return { status: statusCode, headers: joined(headers), bytes: await readBody(url, body, request.bytesMax) };
  }
}

/** Refuses literal addresses that are not public. Looked-up ones are tested by the lookup. */
function toPublicAddresses(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) => {
    try {
      assertPublicLiteral(target.hostname);
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    connect(target, callback);
  };
}

/** @throws HTTP_ADDRESS_REFUSED for a literal IP address that is not public */
function assertPublicLiteral(hostname: string): void {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 && !isPublicAddress(bare)) throw addressRefused(hostname, [bare]);
}

/** Parses an `http:` or `https:` URL without credentials. @throws HTTP_URL_INVALID */
function parseUrl(url: string | URL): URL {
  const parsed = URL.canParse(String(url)) ? new URL(String(url)) : undefined;
  const isUsable =
    parsed !== undefined && ['http:', 'https:'].includes(parsed.protocol) && parsed.username + parsed.password === '';
  if (isUsable) return parsed;
  throw new PublicHttpError('HTTP_URL_INVALID', 'The URL is not an http: or https: URL without a user name.', {
    hint: 'Give a URL such as https://node.example/path.',
  });
}

async function readBody(url: URL, body: Dispatcher.ResponseData['body'], bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    // The end of the loop destroys the connection.
    if (length > bytesMax)
      throw new PublicHttpError('HTTP_BODY_TOO_LARGE', `The response of ${url.host} exceeds ${bytesMax} bytes.`, {
        details: { host: url.host, bytesMax },
      });
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}

function timedOut(url: URL, timeoutMs: number): PublicHttpError {
  return new PublicHttpError('HTTP_TIMEOUT', `Host ${url.host} did not respond within ${timeoutMs} ms.`, {
    details: { host: url.host, timeoutMs },
  });
}

/** Code of a connection error. Messages of Node may contain the path, so they are not used. */
function reasonOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? 'the connection failed' : reasonOf(cause);
}
