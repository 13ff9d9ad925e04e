import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

export interface CorsOptions {
  /** `*`, or origins separated by commas. Default: none, so that no page may call. */
  readonly origins: string | undefined;
  /** Header fields that pages may send, beside those that browsers always allow. */
  readonly requestHeaders: readonly string[];
  /** Response header fields that pages may read. */
  readonly exposedHeaders: readonly string[];
  /** Methods that pages may call. Default: POST. */
  readonly methods?: readonly string[];
}

/** Seconds for which browsers cache the response to a preflight. */
const maxAgeSeconds = 600;

/**
 * Cross-origin requests of web pages to a service (https://fetch.spec.whatwg.org/#http-cors-protocol).
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #requestHeaders: string;
  readonly #exposedHeaders: string;
  readonly #methods: string;

  constructor({ origins, requestHeaders, exposedHeaders, methods = ['POST'] }: CorsOptions) {
    this.#origins = new Set(origins?.toLowerCase().split(',') ?? []);
    this.#requestHeaders = requestHeaders.join(', ');
    this.#exposedHeaders = exposedHeaders.join(', ');
    this.#methods = methods.join(', ');
  }

  /** Reports whether pages of an origin may call. */
  allows(origin: string): boolean {
    return this.#origins.size > 0 && (this.#origins.has('*') || this.#origins.has(origin.toLowerCase()));
  }

  /**
   * Sets the CORS header fields of a response, also of an error. The response to a preflight lists methods and
   * fields.
   */
  setHeaders({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>, response: ServerResponse): void {
    const { origin } = headers;
    if (origin === undefined || !this.allows(origin)) return;
    response.setHeader('access-control-allow-origin', this.#origins.has('*') ? '*' : origin);
    response.setHeader('vary', 'origin');
    response.setHeader('access-control-expose-headers', this.#exposedHeaders);
    if (method !== 'OPTIONS') return;
    response.setHeader('access-control-allow-methods', this.#methods);
    response.setHeader('access-control-allow-headers', this.#requestHeaders);
    response.setHeader('access-control-max-age', String(maxAgeSeconds));
  }

  /**
   * Reports whether a request comes from a page that may not call: its Origin or Referer is another one, or a
   * browser sends neither. Browsers add stored credentials by themselves, so such a request must be refused.
   */
  isForeign({ origin, referer, 'user-agent': userAgent = '' }: IncomingHttpHeaders): boolean {
    if (origin === undefined && referer === undefined)
      return userAgent.startsWith('Mozilla') && !userAgent.includes('Electron');
    if (origin !== undefined && !this.allows(origin)) return true;
    return referer !== undefined && !this.allows(originOf(referer));
  }
}

/** Origin of an address; `null` where it has none, as browsers write it. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'null';
}
