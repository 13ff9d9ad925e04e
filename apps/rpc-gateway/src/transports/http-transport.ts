import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client, Principal } from '@cairn/auth';
import { Dispatcher } from '@cairn/jsonrpc-core';
import { Cors, type FastAnswer, type FastHandler, type FastRequest } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { Chain } from '../chains/chain.ts';
import { LazyContext, type RequestContext } from '../request-context.ts';
import type { RequestMeter } from '../request-meter.ts';
import type { GatewaySettings } from '../settings.ts';
import { ApiKeyGuard, requireKeyInPath } from './api-key-guard.ts';
import { httpAnswer, type OwnAnswer } from './http-answer.ts';
import { JsonRpcErrorFilter } from './json-rpc-error-filter.ts';
import { latestBlockField, latestBlockOf, requireLatestBlock } from './latest-block-field.ts';
import { type GatewayRequest, MeteringInterceptor } from './metering-interceptor.ts';
import { NetworkResolver } from './network-resolver.ts';
import { bodyTooLong, readBody } from './read-body.ts';
import { TransportError } from './transport-error.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const keyPrefix = '/v3/';
/** A client that still sends its body may read an error for this long before its connection is closed. */
const unreadBodyGraceMs = 1000;

/** An authenticated request and its network. */
interface AdmittedRequest {
  readonly metered: GatewayRequest;
  readonly principal: Principal;
  readonly chain: Chain;
  readonly headers: Headers;
  /** Provides the abort signal on demand: only slow calls read it. */
  readonly source: { readonly signal: AbortSignal };
}

/**
 * JSON-RPC over HTTP: `POST /v3/<API_KEY>`. Guard, interceptor and filter have the roles that Nest gives them, and are called
 * directly: docs/decisions/raw-http-path.md.
 */
@Injectable()
export class HttpTransport {
  /** Requests that arrive whole, except those of browsers, with `Expect`, or with long bodies. */
  readonly fast: FastHandler = {
    takes: (path) => path.startsWith(keyPrefix),
    answer: (request) => this.#answerFast(request),
  };
  readonly #cors: Cors;

  constructor(
    @Inject(ApiKeyGuard) private readonly guard: ApiKeyGuard,
    @Inject(MeteringInterceptor) private readonly interceptor: MeteringInterceptor,
    @Inject(JsonRpcErrorFilter) private readonly filter: JsonRpcErrorFilter,
    @Inject(NetworkResolver) private readonly networks: NetworkResolver,
    @Inject(Dispatcher) private readonly dispatcher: Dispatcher<RequestContext>,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    this.#cors = new Cors({
      origins: settings.CAIRN_CORS_ORIGINS,
      requestHeaders: ['content-type', latestBlockField],
      exposedHeaders: ['x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after', 'cairn-proof', latestBlockField],
    });
  }

  /** Handles requests under /v3, and calls without a path; returns false for others. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const path = request.url?.split('?', 1)[0] ?? '';
    // The default address of many clients has no path. They get the error for a missing key.
    const isWithoutPath = path === '/' && /^(POST|OPTIONS)$/.test(request.method ?? '');
    if (path !== '/v3' && !path.startsWith(keyPrefix) && !isWithoutPath) return false;
    const metered = this.interceptor.start(request.headers);
    response.setHeader('x-request-id', metered.record.id);
    response.once('close', () => {
      const bytesOut = response.headersSent ? Number(response.getHeader('content-length') ?? 0) : 0;
      // 499 in the log: the client closed the connection before the answer.
      this.#end(metered, response.headersSent ? response.statusCode : 499, bytesOut);
    });
    this.#cors.setHeaders(request, response);
    this.#answer(request, response, metered).catch((error: unknown) => this.#fail(error, request, response, metered));
    return true;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, metered: GatewayRequest): Promise<void> {
    if (request.method === 'OPTIONS') return void response.writeHead(204, { allow: 'POST, OPTIONS' }).end();
    if (request.method !== 'POST') throw methodNotAllowed();
    const { headers, socket } = request;
    const principal = await this.guard.identify(requireKeyInPath(request.url, keyPrefix), socket.remoteAddress);
    const client = { address: socket.remoteAddress, origin: headers.origin };
    const chain = this.#admit(principal, client, headers, metered);
    const body = await this.#readBody(request, response, metered);
    const source = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) source.abort(new Error('The client closed the connection.'));
    });
    const answer = await this.#dispatch(body, { metered, principal, chain, headers, source });
    for (const name in answer.headers) response.appendHeader(name, answer.headers[name] ?? '');
    const bytes = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
    if (answer.status !== 204) response.setHeader('content-length', bytes.length);
    response.writeHead(answer.status);
    response.end(bytes);
  }

  /** Reads the body after the account has room for its announced length. */
  async #readBody(request: IncomingMessage, response: ServerResponse, metered: GatewayRequest): Promise<Buffer> {
    await metered.record.meter?.enter();
    const { CAIRN_RPC_BODY_BYTES_MAX: bytesMax } = this.settings;
    const announced = Number(request.headers['content-length'] ?? bytesMax);
    // A longer body is refused for its length, whatever credits the account has.
    if (announced <= bytesMax) await metered.record.meter?.requireRoom(announced);
    const body = await readBody(request, response, bytesMax, (bytes) => {
      metered.bytesIn = bytes;
    });
    // A compressed body is longer than its announced length, and parsing depends on its real length.
    if (body.length > announced) await metered.record.meter?.requireRoom(body.length);
    return body;
  }

  /** Answers without a promise if nothing has to be awaited. */
  #answerFast(request: FastRequest): FastAnswer | Promise<FastAnswer> {
    const metered = this.interceptor.start(request.headers);
    const finish = ({ status, headers, body }: OwnAnswer): FastAnswer => {
      const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
      this.#end(metered, status, bodyBytes);
      // Changed in place: copying the header fields takes longer than the rest of this function.
      headers['x-request-id'] = metered.record.id;
      return { status, headers, body, bodyBytes };
    };
    const refuse = (error: unknown) => finish(this.#refusal(error, metered));
    try {
      const key = requireKeyInPath(request.path, keyPrefix);
      const principal = this.guard.recent(key);
      const answer =
        principal === undefined
          ? this.guard.identify(key, request.remoteAddress).then((found) => this.#answerAs(found, request, metered))
          : this.#answerAs(principal, request, metered);
      return answer instanceof Promise ? answer.then(finish).catch(refuse) : finish(answer);
    } catch (error) {
      return refuse(error);
    }
  }

  #answerAs(principal: Principal, request: FastRequest, metered: GatewayRequest): OwnAnswer | Promise<OwnAnswer> {
    const { headers, body } = request;
    // Requests with an Origin do not take the fast path.
    const chain = this.#admit(principal, { address: request.remoteAddress, origin: undefined }, headers, metered);
    const { CAIRN_RPC_BODY_BYTES_MAX: bytesMax } = this.settings;
    if (body.length > bytesMax) throw bodyTooLong(bytesMax);
    const dispatch = () => this.#dispatch(body, { metered, principal, chain, headers, source: request });
    const waiting = metered.record.meter?.enter() ?? metered.record.meter?.requireRoom(body.length);
    return waiting === undefined
      ? dispatch()
      : waiting.then(() => metered.record.meter?.requireRoom(body.length)).then(dispatch);
  }

  /** Resolves the network, starts the meter and checks the key. @throws TransportError */
  #admit(principal: Principal, client: Client, headers: Headers, metered: GatewayRequest): Chain {
    metered.record.caller = principal;
    const chain = this.networks.resolve(textOf(headers.host));
    const { name } = chain.network;
    this.interceptor.meter(metered, principal, name);
    this.guard.requireAllowed(principal, client, name);
    requireJson(textOf(headers['content-type']));
    return chain;
  }

  #dispatch(body: Buffer, request: AdmittedRequest): OwnAnswer | Promise<OwnAnswer> {
    const { chain, headers, source, metered } = request;
    const { meter } = metered.record;
    if (meter === undefined) throw new Error('The request was not admitted.');
    const seen = textOf(headers[latestBlockField]);
    if (seen === undefined) return this.#run(body, request, meter);
    const run = async () => {
      const latest = latestBlockOf(chain);
      const answer = await this.#run(body, request, meter);
      if (latest !== undefined) answer.headers[latestBlockField] = latest;
      return answer;
    };
    const waiting = requireLatestBlock(chain, seen, { waitMs: this.settings.CAIRN_RPC_HEAD_WAIT_MS, source });
    return waiting === undefined ? run() : waiting.then(run);
  }

  #run(body: Buffer, request: AdmittedRequest, meter: RequestMeter): OwnAnswer | Promise<OwnAnswer> {
    const { metered, principal, chain, headers, source } = request;
    metered.bytesIn = body.length;
    const context = new LazyContext({ chain, principal, meter }, source);
    if (chain.upstreams === undefined) meter.recordProof('executed');
    const acceptEncoding = textOf(headers['accept-encoding']);
    const result = this.dispatcher.handle(body, context);
    return result instanceof Promise
      ? result.then((found) => httpAnswer(found, acceptEncoding, meter))
      : httpAnswer(result, acceptEncoding, meter);
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse, metered: GatewayRequest): void {
    // A client that disconnected gets no answer, and its error is not logged.
    if (response.headersSent || response.destroyed || request.socket.destroyed) return void response.destroy();
    const { status, headers, body } = this.#refusal(error, metered);
    const isUnread = !request.complete;
    response.writeHead(status, {
      ...headers,
      ...(isUnread && { connection: 'close' }),
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
    if (!isUnread) return;
    setTimeout(() => request.socket.destroy(), unreadBodyGraceMs).unref();
    request.resume();
  }

  #refusal(error: unknown, { record: { id, meter } }: GatewayRequest): OwnAnswer {
    meter?.noteRefusal(error);
    const { status, headers, body } = this.filter.catch(error, id);
    return { status, headers: { ...meter?.headers, ...headers }, body };
  }

  #end(metered: GatewayRequest, status: number, bytesOut: number): void {
    const attributes = { 'http.request.method': 'POST', 'http.route': '/v3/:key' };
    this.interceptor.end(metered, { name: 'POST /v3/:key', status, bytesOut, attributes, message: 'request' });
  }
}

/** The value of a header field that Node does not return as a list. */
function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function methodNotAllowed(): TransportError {
  return new TransportError({
    status: 405,
    name: 'request',
    message: 'JSON-RPC takes POST only.',
    headers: { allow: 'POST, OPTIONS' },
  });
}

/** The value that most requests repeat. */
let lastJsonType = 'application/json';

/** @throws TransportError 415 */
function requireJson(type: string | undefined): void {
  if (type === lastJsonType) return;
  if (type !== undefined && /^application\/(json|json-rpc|jsonrequest)\b/i.test(type)) {
    lastJsonType = type;
    return;
  }
  throw new TransportError({
    status: 415,
    name: 'request',
    message: 'Expected the header Content-Type: application/json.',
  });
}
