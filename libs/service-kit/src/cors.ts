import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

export interface CorsOptions {
  /** `*`, or origins separated by commas. Default: none, so that no page may call. */
  readonly origins: string | undefined;
  /** Header fields that pages may send, beside those that browsers always allow. */
  readonly requestHeaders: readonly string[];
  /** Header fields of answers that pages may read. */
  readonly exposedHeaders: readonly string[];
}

/** Seconds for which browsers remember the answer to a preflight. */
const maxAgeSeconds = 600;

/** Cross-origin requests of web pages (https://fetch.spec.whatwg.org/#http-cors-protocol) to a service that takes POST. */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #requestHeaders: string;
  readonly #exposedHeaders: string;

  constructor({ origins, requestHeaders, exposedHeaders }: CorsOptions) {
    this.#origins = new Set(origins?.toLowerCase().split(',') ?? []);
    this.#requestHeaders = requestHeaders.join(', ');
    this.#exposedHeaders = exposedHeaders.join(', ');
  }

  /** True for an origin whose pages may call. */
  allows(origin: string): boolean {
    return this.#origins.size > 0 && (this.#origins.has('*') || this.#origins.has(origin.toLowerCase()));
  }

  /** Sets the header fields of the answer, also of an error. The answer to a preflight has those that it asks for. */
  setHeaders({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>, response: ServerResponse): void {
    const { origin } = headers;
    if (origin === undefined || !this.allows(origin)) return;
    response.setHeader('access-control-allow-origin', this.#origins.has('*') ? '*' : origin);
    response.setHeader('vary', 'origin');
    response.setHeader('access-control-expose-headers', this.#exposedHeaders);
    if (method !== 'OPTIONS') return;
    response.setHeader('access-control-allow-methods', 'POST');
    response.setHeader('access-control-allow-headers', this.#requestHeaders);
    response.setHeader('access-control-max-age', String(maxAgeSeconds));
  }

  /**
   * True for a request of a page that may not call: one with another Origin or Referer, or of a browser that sends neither.
   * A browser adds credentials that it remembers by itself, so such a request must not be answered.
   */
  isForeign({ origin, referer, 'user-agent': userAgent = '' }: IncomingHttpHeaders): boolean {
    if (origin === undefined && referer === undefined)
      return userAgent.startsWith('Mozilla') && !userAgent.includes('Electron');
    if (origin !== undefined && !this.allows(origin)) return true;
    return referer !== undefined && !this.allows(originOf(referer));
  }
}

/** Origin of an address; `null` for one that has none, as browsers write it. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'null';
}
