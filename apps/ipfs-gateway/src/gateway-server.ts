import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Principal } from '@cairn/auth';
import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { storeStates } from '@cairn/embedded-store';
import { createGateway, type Gateway, type GatewayResponse } from '@cairn/ipfs-gateway';
import { DnslinkResolver, RecordSource } from '@cairn/ipns';
import { latencyBoundsMs, type Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import {
  type Dependency,
  discardBody,
  type RawHttp,
  type Registry,
  type RequestRecord,
  RequestRecorder,
  registerUsageMetrics,
} from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ContentAccess } from './content-access.ts';
import { ContentPolicy } from './content-policy.ts';
import { failureResponse, isServiceFault } from './gateway-failure.ts';
import { GatewayMeter } from './gateway-meter.ts';
import { sendBody } from './send-body.ts';
import { SendPermits } from './send-permits.ts';
import type { IpfsGatewaySettings } from './settings.ts';

/** Bytes of small responses in memory. */
const hotBytesMax = 48 * 1024 * 1024;

/** Blocks of a file that are read while one is sent. */
const readAheadMax = 4;

type Record = RequestRecord<GatewayMeter, Principal>;

/** Serves the gateway from the HTTP server's events, since bodies are streams (docs/decisions/raw-http-path.md). */
@Injectable()
export class GatewayServer implements RawHttp, OnApplicationBootstrap {
  readonly #gateway: Gateway;
  readonly #isTls: boolean;
  readonly #permits = new SendPermits();
  readonly #fields = new WeakMap<GatewayResponse['headers'], GatewayResponse['headers']>();

  constructor(
    @Inject(BLOCKSTORE) blocks: Blockstore,
    @Inject(DnslinkResolver) dnslinks: DnslinkResolver,
    @Inject(RecordSource) records: RecordSource,
    @Inject(SETTINGS) private readonly settings: IpfsGatewaySettings,
    @Inject(ContentPolicy) policy: ContentPolicy,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(RequestRecorder) private readonly recorder: RequestRecorder,
    @Inject(HttpAdapterHost) private readonly http: HttpAdapterHost,
  ) {
    this.#isTls = settings.tls !== undefined;
    this.#gateway = createGateway({
      blocks: policy.guard(blocks),
      policy: (content) => policy.refusal(content),
      hotBytesMax,
      readAhead: () => (this.#permits.isScarce ? 1 : readAheadMax),
      names: {
        dnslink: (domain) => dnslinks.find(domain),
        ipnsRecord: (name, signal) => records.find(name, { signal }),
      },
      subdomainHosts: settings.IPFS_GATEWAY_HOSTS.split(',').map((host) => ({ host, inlinesDnslink: true })),
    });
    policy.onChange(() => this.#gateway.forget());
  }

  /** Answers CONNECT by serving the tunnel itself: the gateway is an HTTP proxy for its own content only. */
  onApplicationBootstrap(): void {
    const server: Server = this.http.httpAdapter.getHttpServer();
    server.on('connect', (_: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      if (head.length > 0) socket.unshift(head);
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      server.emit('connection', socket);
    });
  }

  handleRequest(request: IncomingMessage, response: ServerResponse): boolean {
    const record = this.recorder.start<GatewayMeter, Principal>(request.headers);
    response.setHeader('x-request-id', record.id);
    response.once('close', () => this.#end(request, response, record));
    this.#answer(request, response, record).catch((error: unknown) => this.#fail(error, request, response, record));
    return true;
  }

  dependencies(): readonly Dependency[] {
    return storeStates(this.settings.CAIRN_HOME);
  }

  registerMetrics(metrics: Registry): void {
    registerUsageMetrics(metrics, { counts: () => this.metering.ledger.totals(), boundsMs: latencyBoundsMs });
  }

  async #answer(request: IncomingMessage, response: ServerResponse, record: Record): Promise<void> {
    // A preflight has no credentials (https://fetch.spec.whatwg.org/#cors-preflight-fetch).
    const principal = request.method === 'OPTIONS' ? undefined : await this.access.check(request);
    const meter = principal && new GatewayMeter(this.metering, principal);
    record.caller = principal;
    record.meter = meter;
    await meter?.admit();
    const { method = 'GET', url = '/', headers } = request;
    const { host = '' } = headers;
    let ended: AbortSignal | undefined;
    const asked = {
      ...{ method, host, target: url, headers, isHttps: this.#isTls },
      // Created on demand: a response from memory needs none.
      get signal() {
        ended ??= closeSignal(response);
        return ended;
      },
    };
    await this.#send(await this.#gateway.handle(asked), response, asked, meter);
    discardBody(request);
  }

  async #send(
    answer: GatewayResponse,
    response: ServerResponse,
    asked: { readonly signal: AbortSignal },
    meter?: GatewayMeter,
  ): Promise<void> {
    // Content has the type of its name or bytes. With `nosniff` browsers run no script that has no name.
    if (answer.status < 300) response.removeHeader('x-content-type-options');
    const fields = this.#fieldsOf(answer.headers);
    if (answer.bytes !== undefined) {
      await meter?.sent(answer.bytes.length);
      response.writeHead(answer.status, fields).end(answer.bytes);
      return;
    }
    response.writeHead(answer.status, fields);
    const onBytes = async (bytes: number) => await meter?.sent(bytes);
    await sendBody(answer, { response, signal: asked.signal, permits: this.#permits, onBytes });
    response.end();
  }

  /** Encodes the fields of a response once: hot responses share theirs. */
  #fieldsOf(headers: GatewayResponse['headers']): GatewayResponse['headers'] {
    const known = this.#fields.get(headers);
    if (known !== undefined) return known;
    const fields = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, this.#fieldOf(name, value)]),
    );
    this.#fields.set(headers, fields);
    return fields;
  }

  /** Encodes a field as UTF-8 in one line. Shared caches must not store what a key has opened. */
  #fieldOf(name: string, value: string): string {
    const text = name === 'cache-control' && !this.access.isPublic ? value.replace(/\bpublic\b/, 'private') : value;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these bytes are not allowed in fields (RFC 9110, 5.5).
    return Buffer.from(text.replace(/[\x00-\x1f\x7f]/g, ' ')).toString('latin1');
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse, record: Record): void {
    record.failure = error;
    if (response.destroyed) return;
    // After the status only the end of the connection tells the client that the body is not whole.
    if (response.headersSent) return void response.destroy();
    const { status, text, headers } = failureResponse(error, record.id);
    const body = `${text}\n`;
    response.writeHead(status, {
      ...headers,
      'access-control-allow-origin': '*',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-length': Buffer.byteLength(body),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
    discardBody(request);
  }

  #end(request: IncomingMessage, response: ServerResponse, record: Record): void {
    const isComplete = response.writableFinished;
    record.end({
      name: `${request.method} gateway`,
      // 499: the client closed the connection before the response.
      status: response.headersSent ? response.statusCode : 499,
      isFailed: record.failure !== undefined || !isComplete || response.statusCode >= 400,
      isServiceFault: isServiceFault(record.failure) && !request.destroyed,
      fields: { isComplete },
    });
  }
}

/** Signal that aborts when the client closes the connection. */
function closeSignal(response: ServerResponse): AbortSignal {
  const ended = new AbortController();
  const end = () => ended.abort(new Error('the client closed the connection'));
  if (response.destroyed) end();
  else response.once('close', end);
  return ended.signal;
}
