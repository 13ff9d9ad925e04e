import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { isAmbiguous } from '../ambiguous-fields.ts';
import { type Dependency, readiness } from '../health.ts';
import { isTrustedHost } from '../host-check.ts';

export interface AdminOptions {
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /**
   * Host names that requests may use, beside IP addresses and names without a dot. See {@link isTrustedHost}.
   * Default: none.
   */
  readonly hosts?: ReadonlySet<string>;
  readonly registry: Pick<Registry, 'metrics' | 'contentType'>;
  /** Dependencies of the service, each with its problem where it has one. */
  readonly dependencies: () => readonly Dependency[] | Promise<readonly Dependency[]>;
}

const noNames: ReadonlySet<string> = new Set();

/** Creates the registry of a service, with Node's own metrics: memory, event loop, garbage collection. */
export function createRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, prefix: 'cairn_' });
  return registry;
}

/** A separate port for operators: `/metrics`, `/livez`, and `/readyz` with each dependency. */
export class AdminServer {
  readonly #server: Server;
  readonly #options: AdminOptions;

  constructor(options: AdminOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    this.#server.headersTimeout = 10_000;
    this.#server.requestTimeout = 10_000;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?', 1)[0];
    response.setHeader('cache-control', 'no-store');
    if (isAmbiguous(request)) return sendJson(response, 400, { error: 'Send the header field Host once.' });
    if (!isTrustedHost(request.headers.host, this.#options.hosts ?? noNames))
      return sendJson(response, 421, { error: 'Add the host name of this request to CAIRN_HOSTS.' });
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    if (path === '/metrics') {
      const { registry } = this.#options;
      const text = await registry.metrics();
      return void response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    }
    if (path === '/livez') return sendJson(response, 200, { status: 'ok' });
    if (path !== '/readyz') return sendJson(response, 404, { error: 'There are /metrics, /livez and /readyz.' });
    const state = readiness(await this.#options.dependencies());
    sendJson(response, state.status === 'ok' ? 200 : 503, state);
  }

  /** Resolves with the port when it listens. */
  listen(): Promise<number> {
    const { port, host } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port, host }, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
