import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { storeStates } from '@cairn/embedded-store';
import { ApiDocuments, type Dependency, isTrustedHost, type RawHttp, trustedHosts } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import sirv from 'sirv';
import { bodyLimits } from './body-limits.ts';
import { EventStreams } from './networks/event-streams.ts';
import { openApiDocument } from './open-api.ts';
import { RequestLog } from './request-log.ts';
import type { ConsoleSettings } from './settings.ts';

const directory = fileURLToPath(new URL('../dist/web/', import.meta.url));
const strangeHost =
  'The host name of this request is not configured. The operator can add it to CAIRN_HOSTS, or set CAIRN_PUBLIC_CONSOLE_URL.\n';
const noncePlace = '{{nonce}}';

/** Serves the built files, and index.html for every other path. `/api/` is left to the controllers. */
@Injectable()
export class WebPages implements RawHttp {
  readonly connectionsMax = bodyLimits.connectionsMax;
  readonly #page: string;
  readonly #assets: ReturnType<typeof sirv>;
  readonly #hosts: ReadonlySet<string>;
  readonly #documents = new ApiDocuments({ path: '/openapi.json', document: openApiDocument, hasIndex: false });

  constructor(
    @Inject(SETTINGS) private readonly settings: ConsoleSettings,
    @Inject(RequestLog) private readonly requests: RequestLog,
    @Inject(EventStreams) private readonly streams: EventStreams,
  ) {
    this.#hosts = trustedHosts(settings);
    const file = join(directory, 'index.html');
    if (!existsSync(file)) throw new Error(`The pages are not built: ${file} is missing. Build the console first.`);
    this.#page = readFileSync(file, 'utf8');
    this.#assets = sirv(join(directory, 'assets'), {
      immutable: true,
      maxAge: 31_536_000,
      etag: true,
      gzip: true,
      brotli: true,
    });
  }

  handleRequest(request: IncomingMessage, response: ServerResponse): boolean {
    const path = request.url?.split('?', 1)[0] ?? '/';
    const nonce = randomBytes(16).toString('base64');
    for (const [name, value] of Object.entries(securityHeaders(nonce))) response.setHeader(name, value);
    if (!isTrustedHost(request.headers.host, this.#hosts)) {
      response.writeHead(421, { 'content-type': 'text/plain; charset=utf-8' }).end(strangeHost);
      return true;
    }
    if (this.#documents.handle(request, response)) return true;
    if (path.startsWith('/api/') || path === '/api') return this.#api(request, response);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return true;
    }
    if (path.startsWith('/assets/')) {
      request.url = (request.url ?? '').slice('/assets'.length);
      this.#assets(request, response, () => void response.writeHead(404).end());
      return true;
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : this.#page.replaceAll(noncePlace, nonce));
    return true;
  }

  dependencies(): readonly Dependency[] {
    return storeStates(this.settings.CAIRN_HOME);
  }

  /** Ends live subscriptions, which have no end of their own. */
  async drain(): Promise<void> {
    this.streams.end();
  }

  #api(request: IncomingMessage, response: ServerResponse): false {
    this.requests.begin(request, response);
    response.setHeader('cache-control', 'no-store');
    return false;
  }
}

/** Content-Security-Policy: own origin only, no inline scripts, frames for previews only, inline styles of the component library by nonce. */
function securityHeaders(nonce: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "media-src 'self'",
      "frame-src 'self'",
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
}
