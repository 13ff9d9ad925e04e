import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Auth, Client, Principal } from '@cairn/auth';
import { AUTH } from '@cairn/auth/nest';
import { errorChain } from '@cairn/errors';
import { type Dispatcher, errorLine, RpcError } from '@cairn/jsonrpc-core';
import { DISPATCHER } from '@cairn/jsonrpc-core/nest';
import {
  type Logger,
  type PlainAnswer,
  type PlainHandler,
  type PlainRequest,
  requestId,
  type Settings,
} from '@cairn/service-kit';
import { LOGGER, SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { Chain } from '../chains/chain.ts';
import { ChainRegistry } from '../chains/chain-registry.ts';
import type { RequestContext } from '../request-context.ts';
import { admit, DoorError, identify, keyInPath } from './api-key.ts';
import { isWorthPacking, pack } from './content-encoding.ts';
import { bodyTooLong, readBody } from './read-body.ts';

const json = { 'content-type': 'application/json' } as const;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What one request has shown of itself, for its line in the log. */
interface Trace {
  readonly id: string;
  readonly start: number;
  readonly called: string[];
  principal: Principal | undefined;
  network: string | undefined;
}

/** `POST /v3/<API_KEY>`: JSON-RPC over HTTP, straight from the server's request event or before it. */
@Injectable()
export class HttpDoor {
  /** For requests that come whole: all but those of browsers, of clients that ask first, and long ones. */
  readonly plain: PlainHandler = {
    takes: (path) => path.startsWith('/v3/'),
    answer: (request) => this.#answerPlain(request),
  };
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
    const trace = traceOf(request.headers);
    response.setHeader('x-request-id', trace.id);
    response.once('close', () => this.#log(trace, response.headersSent ? response.statusCode : 499));
    this.#allowOrigin(request, response);
    this.#answer(request, response, trace).catch((error: unknown) => this.#fail(error, request, response, trace));
    return true;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, trace: Trace): Promise<void> {
    if (request.method === 'OPTIONS') return void response.writeHead(204, { allow: 'POST, OPTIONS' }).end();
    if (request.method !== 'POST')
      throw new DoorError(405, 'request', 'JSON-RPC takes POST only.', { allow: 'POST, OPTIONS' });
    const principal = await identify(this.auth, keyOf(request.url), request.socket.remoteAddress);
    const client = { address: request.socket.remoteAddress, origin: request.headers.origin };
    const chain = this.#admit(principal, client, request.headers, trace);
    const body = await readBody(request, response, this.settings.CAIRN_RPC_BODY_BYTES_MAX);
    const source = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) source.abort(new Error('the client closed the connection'));
    });
    const answer = await this.#dispatch(body, request.headers, { principal, chain, source, trace });
    for (const name in answer.headers) response.appendHeader(name, answer.headers[name] ?? '');
    const bytes = Buffer.from(answer.body);
    response.writeHead(answer.status, answer.status === 204 ? {} : { 'content-length': bytes.length });
    response.end(bytes);
  }

  /** Without a promise where there is nothing to wait for. */
  #answerPlain(request: PlainRequest): PlainAnswer | Promise<PlainAnswer> {
    const trace = traceOf(request.headers);
    const finish = ({ status, headers, body }: PlainAnswer): PlainAnswer => {
      this.#log(trace, status);
      return { status, headers: { 'x-request-id': trace.id, ...headers }, body };
    };
    const refuse = (error: unknown) => finish(this.#refusal(error, trace));
    try {
      const key = keyOf(request.path);
      const principal = this.auth.recent(key);
      const answer =
        principal === undefined
          ? identify(this.auth, key, request.remoteAddress).then((found) => this.#answerAs(found, request, trace))
          : this.#answerAs(principal, request, trace);
      return answer instanceof Promise ? answer.then(finish).catch(refuse) : finish(answer);
    } catch (error) {
      return refuse(error);
    }
  }

  #answerAs(principal: Principal, request: PlainRequest, trace: Trace): PlainAnswer | Promise<PlainAnswer> {
    const { headers, body } = request;
    // Requests with an Origin are not plain.
    const chain = this.#admit(principal, { address: request.remoteAddress, origin: undefined }, headers, trace);
    const { CAIRN_RPC_BODY_BYTES_MAX: bytesMax } = this.settings;
    if (body.length > bytesMax) throw bodyTooLong(bytesMax);
    return this.#dispatch(body, headers, { principal, chain, source: request, trace });
  }

  /** The network that is meant. @throws DoorError */
  #admit(principal: Principal, client: Client, headers: Headers, trace: Trace): Chain {
    trace.principal = principal;
    const chain = this.#chain(textOf(headers.host));
    trace.network = chain.network.name;
    admit(principal, client, chain.network.name);
    checkContentType(textOf(headers['content-type']));
    return chain;
  }

  #dispatch(
    body: Buffer,
    headers: Headers,
    {
      chain,
      principal,
      source,
      trace: { called },
    }: {
      readonly chain: Chain;
      readonly principal: Principal;
      /** Asked for its signal only by what takes long. */
      readonly source: { readonly signal: AbortSignal };
      readonly trace: Trace;
    },
  ): PlainAnswer | Promise<PlainAnswer> {
    const { registry } = this;
    const context: RequestContext = {
      chain,
      registry,
      principal,
      called,
      get signal() {
        return source.signal;
      },
    };
    const accepted = textOf(headers['accept-encoding']);
    const answer = this.dispatcher.handle(body, context);
    return answer instanceof Promise ? answer.then((made) => answerOf(made, accepted)) : answerOf(answer, accepted);
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

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse, trace: Trace): void {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const { status, headers, body } = this.#refusal(error, trace);
    const isUnread = !request.complete;
    response.writeHead(status, {
      ...headers,
      ...(isUnread && { connection: 'close' }),
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
    // A client that is still sending gets a moment to read this, then the connection is closed under it.
    if (isUnread) setTimeout(() => request.socket.destroy(), 1000).unref();
    if (isUnread) request.resume();
  }

  #refusal(error: unknown, { id }: Trace): PlainAnswer {
    const known = error instanceof DoorError ? error : undefined;
    if (known === undefined) this.logger.error({ requestId: id, causes: errorChain(error) }, 'request failed');
    const told = known ?? new DoorError(500, 'internal', `Internal error (reference ${id}).`);
    return { status: told.status, headers: { ...json, ...told.headers }, body: errorLine('null', told) };
  }

  #log({ id, start, called, principal, network }: Trace, status: number): void {
    if (!this.logger.isLevelEnabled('info')) return;
    this.logger.info(
      {
        requestId: id,
        network,
        account: principal?.account.id,
        methods: called.length > 8 ? [...called.slice(0, 8), `and ${called.length - 8} more`] : called,
        status,
        durationMs: Math.round((performance.now() - start) * 10) / 10,
      },
      'request',
    );
  }
}

/** Packed where that is worth it, which takes time. */
function answerOf(answer: string | undefined, accepted: string | undefined): PlainAnswer | Promise<PlainAnswer> {
  if (answer === undefined) return { status: 204, headers: {}, body: '' };
  if (!isWorthPacking(answer, accepted)) return { status: 200, headers: json, body: answer };
  const headers = { ...json, 'content-encoding': 'gzip', vary: 'accept-encoding' };
  return pack(answer).then((body) => ({ status: 200, headers, body }));
}

/** @throws DoorError 401 */
function keyOf(path: string | undefined): string {
  const key = keyInPath(path, '/v3/');
  if (key === undefined) throw new DoorError(401, 'notFound', 'The path has no API key; expected /v3/<API_KEY>.');
  return key;
}

function traceOf(headers: Headers): Trace {
  return {
    id: requestId({ headers }),
    start: performance.now(),
    called: [],
    principal: undefined,
    network: undefined,
  };
}

/** No field that is read here may come as a list. */
function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function checkContentType(type: string | undefined): void {
  if (type !== undefined && /^application\/(json|json-rpc|jsonrequest)\b/i.test(type)) return;
  throw new DoorError(415, 'request', 'Expected the header Content-Type: application/json.');
}
