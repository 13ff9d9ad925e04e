import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Auth, Client, Principal } from '@cairn/auth';
import { AUTH } from '@cairn/auth/nest';
import { errorChain } from '@cairn/errors';
import { type Dispatcher, errorLine, RpcError } from '@cairn/jsonrpc-core';
import { DISPATCHER } from '@cairn/jsonrpc-core/nest';
import type { Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import {
  Cors,
  type FastAnswer,
  type FastHandler,
  type FastRequest,
  type Logger,
  type RequestSpan,
  requestId,
  type Tracing,
} from '@cairn/service-kit';
import { LOGGER, SETTINGS, TRACING } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { Chain } from '../chains/chain.ts';
import { ChainRegistry } from '../chains/chain-registry.ts';
import type { RequestContext } from '../request-context.ts';
import { RequestMeter } from '../request-meter.ts';
import type { GatewaySettings } from '../settings.ts';
import { admit, identify, keyInPath, limitRefusal, TransportError } from './api-key.ts';
import { isWorthPacking, pack } from './content-encoding.ts';
import { bodyTooLong, readBody } from './read-body.ts';

const json = { 'content-type': 'application/json' } as const;

/** An answer whose header fields are nobody else's. */
type OwnAnswer = FastAnswer & { readonly headers: Record<string, string> };

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What one request has shown of itself, for its line in the log. */
interface Trace {
  readonly id: string;
  readonly start: number;
  readonly span: RequestSpan | undefined;
  principal: Principal | undefined;
  /** From when the account is known; it ends with the answer. */
  meter: RequestMeter | undefined;
  bytesIn: number;
  network: string | undefined;
}

/** `POST /v3/<API_KEY>`: JSON-RPC over HTTP, straight from the server's request event or before it. */
@Injectable()
export class HttpTransport {
  /** For requests that come whole: all but those of browsers, of clients that ask first, and long ones. */
  readonly plain: FastHandler = {
    takes: (path) => path.startsWith('/v3/'),
    answer: (request) => this.#answerPlain(request),
  };
  readonly #cors: Cors;

  constructor(
    @Inject(AUTH) private readonly auth: Auth,
    @Inject(DISPATCHER) private readonly dispatcher: Dispatcher<RequestContext>,
    @Inject(ChainRegistry) private readonly registry: ChainRegistry,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {
    this.#cors = new Cors({
      origins: settings.CAIRN_CORS_ORIGINS,
      requestHeaders: ['content-type'],
      exposedHeaders: ['x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after'],
    });
  }

  /** Takes requests under /v3; false for others. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const path = request.url?.split('?', 1)[0] ?? '';
    if (path !== '/v3' && !path.startsWith('/v3/')) return false;
    const trace = this.#traceOf(request.headers);
    response.setHeader('x-request-id', trace.id);
    response.once('close', () => {
      const bytesOut = response.headersSent ? Number(response.getHeader('content-length') ?? 0) : 0;
      this.#end(trace, response.headersSent ? response.statusCode : 499, bytesOut);
    });
    this.#cors.setHeaders(request, response);
    this.#answer(request, response, trace).catch((error: unknown) => this.#fail(error, request, response, trace));
    return true;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, trace: Trace): Promise<void> {
    if (request.method === 'OPTIONS') return void response.writeHead(204, { allow: 'POST, OPTIONS' }).end();
    if (request.method !== 'POST')
      throw new TransportError(405, 'request', 'JSON-RPC takes POST only.', { allow: 'POST, OPTIONS' });
    const principal = await identify(this.auth, keyOf(request.url), request.socket.remoteAddress);
    const client = { address: request.socket.remoteAddress, origin: request.headers.origin };
    const chain = this.#admit(principal, client, request.headers, trace);
    await trace.meter?.enter();
    const { CAIRN_RPC_BODY_BYTES_MAX: bytesMax } = this.settings;
    const announced = Number(request.headers['content-length'] ?? bytesMax);
    // A longer one is refused for its length, whatever the account has.
    if (announced <= bytesMax) await trace.meter?.requireRoom(announced);
    const body = await readBody(request, response, bytesMax, (bytes) => {
      trace.bytesIn = bytes;
    });
    // An encoded body is longer than what was announced; parsing it is what costs.
    if (body.length > announced) await trace.meter?.requireRoom(body.length);
    const source = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) source.abort(new Error('the client closed the connection'));
    });
    const answer = await this.#dispatch(body, request.headers, { principal, chain, source, trace });
    for (const name in answer.headers) response.appendHeader(name, answer.headers[name] ?? '');
    const bytes = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
    if (answer.status !== 204) response.setHeader('content-length', bytes.length);
    response.writeHead(answer.status);
    response.end(bytes);
  }

  /** Without a promise where there is nothing to wait for. */
  #answerPlain(request: FastRequest): FastAnswer | Promise<FastAnswer> {
    const trace = this.#traceOf(request.headers);
    const finish = ({ status, headers, body }: OwnAnswer): FastAnswer => {
      this.#end(trace, status, typeof body === 'string' ? Buffer.byteLength(body) : body.length);
      // Written into, as the objects of this request are its own: to put new ones together takes longer than the rest.
      headers['x-request-id'] = trace.id;
      return { status, headers, body };
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

  #answerAs(principal: Principal, request: FastRequest, trace: Trace): OwnAnswer | Promise<OwnAnswer> {
    const { headers, body } = request;
    // Requests with an Origin are not plain.
    const chain = this.#admit(principal, { address: request.remoteAddress, origin: undefined }, headers, trace);
    const { CAIRN_RPC_BODY_BYTES_MAX: bytesMax } = this.settings;
    if (body.length > bytesMax) throw bodyTooLong(bytesMax);
    const dispatch = () => this.#dispatch(body, headers, { principal, chain, source: request, trace });
    const waiting = trace.meter?.enter() ?? trace.meter?.requireRoom(body.length);
    return waiting === undefined
      ? dispatch()
      : waiting.then(() => trace.meter?.requireRoom(body.length)).then(dispatch);
  }

  #traceOf(headers: Headers): Trace {
    return {
      id: requestId({ headers }),
      start: performance.now(),
      span: this.tracing.start(headers),
      principal: undefined,
      meter: undefined,
      bytesIn: 0,
      network: undefined,
    };
  }

  /** The network that is meant. @throws TransportError */
  #admit(principal: Principal, client: Client, headers: Headers, trace: Trace): Chain {
    trace.principal = principal;
    const chain = this.#chain(textOf(headers.host));
    trace.network = chain.network.name;
    trace.meter = new RequestMeter(this.metering, principal, chain.network.name, trace.span);
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
      trace,
    }: {
      readonly chain: Chain;
      readonly principal: Principal;
      /** Asked for its signal only by what takes long. */
      readonly source: { readonly signal: AbortSignal };
      readonly trace: Trace;
    },
  ): OwnAnswer | Promise<OwnAnswer> {
    const { registry } = this;
    const { meter } = trace;
    if (meter === undefined) throw new Error('The request was not admitted.');
    trace.bytesIn = body.length;
    const context: RequestContext = {
      chain,
      registry,
      principal,
      meter,
      get signal() {
        return source.signal;
      },
    };
    const accepted = textOf(headers['accept-encoding']);
    const answer = this.dispatcher.handle(body, context);
    return answer instanceof Promise
      ? answer.then((made) => answerOf(made, accepted, meter))
      : answerOf(answer, accepted, meter);
  }

  #chain(host: string | undefined) {
    const { notReady } = this.registry;
    if (notReady !== undefined)
      throw new TransportError(503, 'unavailable', `Not ready: ${notReady}.`, { 'retry-after': '1' });
    try {
      return this.registry.byHost(host);
    } catch (error) {
      throw error instanceof RpcError ? new TransportError(404, 'notFound', error.message) : error;
    }
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse, trace: Trace): void {
    // A client that went away gets no answer, and is no failure of the gateway.
    if (response.headersSent || response.destroyed || request.socket.destroyed) return void response.destroy();
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

  #refusal(thrown: unknown, { id, meter }: Trace): OwnAnswer {
    const error = limitRefusal(thrown);
    const known = error instanceof TransportError ? error : undefined;
    if (known === undefined) this.logger.error({ requestId: id, causes: errorChain(error) }, 'request failed');
    const told = known ?? new TransportError(500, 'internal', `Internal error (reference ${id}).`);
    return {
      status: told.status,
      headers: { ...json, ...meter?.headers, ...told.headers },
      body: errorLine('null', told),
    };
  }

  #end({ id, start, span, principal, network, meter, bytesIn }: Trace, status: number, bytesOut: number): void {
    meter?.end({ bytesIn, bytesOut, status });
    span?.end({
      name: 'POST /v3/:key',
      status,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v3/:key',
        'cairn.network': network,
        'cairn.request_id': id,
      },
    });
    if (!this.logger.isLevelEnabled('info')) return;
    this.logger.info(
      {
        requestId: id,
        traceId: span?.traceId,
        network,
        account: principal?.account.id,
        key: principal?.key.reference,
        calls: meter?.calls,
        credits: meter?.credits,
        gas: meter?.gas,
        bytesIn,
        bytesOut,
        status,
        durationMs: Math.round((performance.now() - start) * 10) / 10,
      },
      'request',
    );
  }
}

/** Packed where that is worth it, which takes time. */
function answerOf(
  answer: string | Uint8Array | undefined,
  accepted: string | undefined,
  meter: RequestMeter,
): OwnAnswer | Promise<OwnAnswer> {
  if (answer === undefined) return { status: 204, headers: meter.headers, body: '' };
  const { retryAfterSeconds } = meter;
  if (retryAfterSeconds !== undefined) {
    const headers = { ...json, ...meter.headers, 'retry-after': String(retryAfterSeconds) };
    return { status: 429, headers, body: bodyOf(answer) };
  }
  const headers = meter.headers;
  headers['content-type'] = json['content-type'];
  if (!isWorthPacking(answer, accepted)) return { status: 200, headers, body: bodyOf(answer) };
  headers['content-encoding'] = 'gzip';
  headers.vary = 'accept-encoding';
  return pack(answer).then((body) => ({ status: 200, headers, body }));
}

/** The same bytes as a Buffer, not copied. */
function bodyOf(answer: string | Uint8Array): string | Buffer {
  return typeof answer === 'string' ? answer : Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
}

/** @throws TransportError 401 */
function keyOf(path: string | undefined): string {
  const key = keyInPath(path, '/v3/');
  if (key === undefined) throw new TransportError(401, 'notFound', 'The path has no API key; expected /v3/<API_KEY>.');
  return key;
}

/** No field that is read here may come as a list. */
function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function checkContentType(type: string | undefined): void {
  if (type !== undefined && /^application\/(json|json-rpc|jsonrequest)\b/i.test(type)) return;
  throw new TransportError(415, 'request', 'Expected the header Content-Type: application/json.');
}
