import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Auth, Principal } from '@cairn/auth';
import { AUTH } from '@cairn/auth/nest';
import { errorChain } from '@cairn/errors';
import { type Dispatcher, errorLine, RpcError } from '@cairn/jsonrpc-core';
import { DISPATCHER } from '@cairn/jsonrpc-core/nest';
import { type Logger, requestId, type Settings } from '@cairn/service-kit';
import { LOGGER, SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ChainRegistry } from '../chains/chain-registry.ts';
import type { RequestContext } from '../request-context.ts';
import { DoorError, identify, keyInPath } from './api-key.ts';
import { isWorthPacking, pack } from './content-encoding.ts';
import { readBody } from './read-body.ts';

const json = { 'content-type': 'application/json' } as const;

/** What one request has shown of itself, for its line in the log. */
interface Trace {
  readonly id: string;
  readonly start: number;
  readonly called: string[];
  principal: Principal | undefined;
  network: string | undefined;
}

/** `POST /v3/<API_KEY>`: JSON-RPC over HTTP, straight from the server's request event. */
@Injectable()
export class HttpDoor {
  readonly #corsOrigins: ReadonlySet<string>;

  constructor(
    @Inject(AUTH) private readonly auth: Auth,
    @Inject(DISPATCHER) private readonly dispatcher: Dispatcher<RequestContext>,
    @Inject(ChainRegistry) private readonly registry: ChainRegistry,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#corsOrigins = new Set(settings.CAIRN_CORS_ORIGINS?.split(',') ?? []);
  }

  /** Takes requests under /v3; false for others. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const path = request.url?.split('?', 1)[0] ?? '';
    if (path !== '/v3' && !path.startsWith('/v3/')) return false;
    const trace: Trace = {
      id: requestId(request),
      start: performance.now(),
      called: [],
      principal: undefined,
      network: undefined,
    };
    response.setHeader('x-request-id', trace.id);
    response.once('close', () => this.#log(trace, response));
    this.#allowOrigin(request, response);
    this.#answer(request, response, trace).catch((error: unknown) => this.#fail(error, request, response, trace));
    return true;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, trace: Trace): Promise<void> {
    if (request.method === 'OPTIONS') return void response.writeHead(204, { allow: 'POST, OPTIONS' }).end();
    if (request.method !== 'POST')
      throw new DoorError(405, 'request', 'JSON-RPC takes POST only.', { allow: 'POST, OPTIONS' });
    const key = keyInPath(request.url, '/v3/');
    if (key === undefined) throw new DoorError(401, 'notFound', 'The path has no API key; expected /v3/<API_KEY>.');
    trace.principal = await identify(this.auth, key);
    const chain = this.#chain(request.headers.host);
    trace.network = chain.network.name;
    checkContentType(request.headers['content-type']);
    const body = await readBody(request, response, this.settings.CAIRN_RPC_BODY_BYTES_MAX);
    const abort = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) abort.abort(new Error('the client closed the connection'));
    });
    const context = {
      chain,
      registry: this.registry,
      principal: trace.principal,
      signal: abort.signal,
      called: trace.called,
    };
    const answer = await this.dispatcher.handle(body, context);
    if (answer === undefined) return void response.writeHead(204).end();
    const bytes = Buffer.from(answer);
    if (isWorthPacking(bytes, request.headers['accept-encoding'])) {
      const packed = await pack(bytes);
      response.appendHeader('vary', 'accept-encoding');
      response.writeHead(200, { ...json, 'content-encoding': 'gzip', 'content-length': packed.length });
      response.end(packed);
      return;
    }
    response.writeHead(200, { ...json, 'content-length': bytes.length });
    response.end(bytes);
  }

  #chain(host: string | undefined) {
    const { notReady } = this.registry;
    if (notReady !== undefined)
      throw new DoorError(503, 'unavailable', `Not ready: ${notReady}.`, { 'retry-after': '1' });
    try {
      return this.registry.byHost(host);
    } catch (error) {
      throw error instanceof RpcError ? new DoorError(404, 'notFound', error.message) : error;
    }
  }

  /** Browsers ask before they call; without the setting no page of another origin may. */
  #allowOrigin(request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers;
    if (origin === undefined || !(this.#corsOrigins.has('*') || this.#corsOrigins.has(origin))) return;
    response.setHeader('access-control-allow-origin', this.#corsOrigins.has('*') ? '*' : origin);
    response.setHeader('vary', 'origin');
    if (request.method !== 'OPTIONS') return;
    response.setHeader('access-control-allow-methods', 'POST');
    response.setHeader('access-control-allow-headers', 'content-type');
    response.setHeader('access-control-max-age', '600');
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse, { id }: Trace): void {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const known = error instanceof DoorError ? error : undefined;
    if (known === undefined) this.logger.error({ requestId: id, causes: errorChain(error) }, 'request failed');
    const told = known ?? new DoorError(500, 'internal', `Internal error (reference ${id}).`);
    const body = errorLine('null', told);
    const isUnread = !request.complete;
    response.writeHead(told.status, {
      ...json,
      ...told.headers,
      ...(isUnread && { connection: 'close' }),
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
    // A client that is still sending gets a moment to read this, then the connection is closed under it.
    if (isUnread) setTimeout(() => request.socket.destroy(), 1000).unref();
    if (isUnread) request.resume();
  }

  #log({ id, start, called, principal, network }: Trace, response: ServerResponse): void {
    this.logger.info(
      {
        requestId: id,
        network,
        account: principal?.account.id,
        methods: called.length > 8 ? [...called.slice(0, 8), `and ${called.length - 8} more`] : called,
        status: response.headersSent ? response.statusCode : 499,
        durationMs: Math.round((performance.now() - start) * 10) / 10,
      },
      'request',
    );
  }
}

function checkContentType(type: string | undefined): void {
  if (type !== undefined && /^application\/(json|json-rpc|jsonrequest)\b/i.test(type)) return;
  throw new DoorError(415, 'request', 'Expected the header Content-Type: application/json.');
}
