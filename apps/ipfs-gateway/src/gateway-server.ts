import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '@cairn/auth';
import { type Blockstore, BufferPool, type CollectableBlockstore } from '@cairn/blockstore';
import { BLOCKSTORE, COLLECTABLE } from '@cairn/blockstore/nest';
import { storeStates } from '@cairn/embedded-store';
import {
  createGateway,
  type Gateway,
  type GatewayRequest,
  type GatewayResponse,
  type Refusal,
} from '@cairn/ipfs-gateway';
import { DnslinkResolver, RecordSource } from '@cairn/ipns';
import { latencyBoundsMs, type Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import type { PeerApi } from '@cairn/peer-api';
import { PEER_API } from '@cairn/peer-api/nest';
import {
  beforeIdleCollection,
  type Dependency,
  discardBody,
  type FastHandler,
  type Logger,
  type ProcessGroup,
  type RawHttp,
  type Registry,
  type RequestRecord,
  RequestRecorder,
  registerCorruptBlocks,
  registerUsageMetrics,
  shareOf,
} from '@cairn/service-kit';
import { LOGGER, PROCESSES, SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { networkOf } from './address-limits.ts';
import { AskedRequest } from './asked-request.ts';
import { RequestSources } from './client-of-request.ts';
import { closeSignal } from './close-signal.ts';
import { type Access, ContentAccess } from './content-access.ts';
import { ContentFetch } from './content-fetch.ts';
import { ContentPolicy } from './content-policy.ts';
import { cutResponse } from './cut-response.ts';
import { DedicatedHosts } from './dedicated-hosts.ts';
import { failureResponse, isServiceFault } from './gateway-failure.ts';
import { GatewayMeter } from './gateway-meter.ts';
import { OpenBodies } from './open-bodies.ts';
import { readBody } from './read-body.ts';
import { RoutingV1 } from './routing-v1.ts';
import { sendBody } from './send-body.ts';
import { SendMemory } from './send-memory.ts';
import type { IpfsGatewaySettings } from './settings.ts';
import { serveTunnels } from './tunnels.ts';

/** Bytes of small responses in memory. */
const hotBytesMax = 48 * 1024 * 1024;

/** Blocks of a file that are read while one is sent. */
const readAheadMax = 2;

const MiB = 1024 * 1024;

/** Memory for blocks of files that waits for its next use. */
const freeBuffersBytesMax = 16 * MiB;

/** Bytes that are written with the head of a response. More could fill the memory while clients do not read. */
const endedBytesMax = 64 * 1024;

/** Bytes of blocks that responses hold for clients that read slowly: of bodies that can be read again, and of others. */
const sendBytesMax = { files: 32 * MiB, streams: 64 * MiB } as const;

type Record = RequestRecord<GatewayMeter, Principal>;
type Headers = GatewayResponse['headers'];

interface Sending {
  readonly asked: AskedRequest;
  readonly access: Access;
  readonly meter: GatewayMeter | undefined;
}

/** Serves the gateway from the HTTP server's events, since bodies are streams (docs/decisions/raw-http-path.md). */
@Injectable()
export class GatewayServer implements RawHttp, OnApplicationBootstrap {
  /** Takes no request. Connections pass through the fast path, which encodes targets that Node's parser refuses. */
  readonly plain: FastHandler = { takes: () => false, answer: () => undefined };
  readonly #gateway: Gateway;
  readonly #memory: { readonly files: SendMemory; readonly streams: SendMemory };
  readonly #sources: RequestSources;
  readonly #fetch: ContentFetch;
  /** Access of each request that the gateway answers, for its policy. */
  readonly #accesses = new WeakMap<GatewayRequest, Access>();
  /** Encoded fields of responses that shared caches may store, and of the others. */
  readonly #fields = { shared: new WeakMap<Headers, Headers>(), private: new WeakMap<Headers, Headers>() };

  constructor(
    @Inject(BLOCKSTORE) blocks: Blockstore,
    @Inject(COLLECTABLE) private readonly stored: CollectableBlockstore,
    @Inject(DnslinkResolver) dnslinks: DnslinkResolver,
    @Inject(RecordSource) records: RecordSource,
    @Inject(SETTINGS) private readonly settings: IpfsGatewaySettings,
    @Inject(ContentPolicy) private readonly content: ContentPolicy,
    @Inject(DedicatedHosts) hosts: DedicatedHosts,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(RoutingV1) private readonly routing: RoutingV1,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(RequestRecorder) private readonly recorder: RequestRecorder,
    @Inject(OpenBodies) private readonly bodies: OpenBodies,
    @Inject(HttpAdapterHost) private readonly http: HttpAdapterHost,
    @Inject(PEER_API) peer: PeerApi | undefined,
    @Inject(PROCESSES) processes: ProcessGroup,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#memory = {
      files: new SendMemory({ bytesMax: shareOf(sendBytesMax.files, processes) }),
      streams: new SendMemory({ bytesMax: shareOf(sendBytesMax.streams, processes) }),
    };
    const { IPFS_GATEWAY_TRUSTED_PROXIES: proxies = '' } = settings;
    this.#sources = new RequestSources(proxies, { isTls: settings.tls !== undefined });
    this.#fetch = new ContentFetch(peer?.exchange, settings, processes);
    const buffers = new BufferPool({ bytesMax: shareOf(freeBuffersBytesMax, processes) });
    beforeIdleCollection(() => buffers.clear());
    this.#gateway = createGateway({
      // Denied content is refused before it is fetched.
      blocks: this.#fetch.wrap(content.guard(blocks)),
      policy: async (content, request) => {
        const isAllowed = (await this.#accesses.get(request)?.scope?.allows(content)) ?? true;
        return isAllowed ? this.content.refusal(content) : outOfScope(content.path);
      },
      hotBytesMax: shareOf(hotBytesMax, processes),
      buffers,
      readAhead: () => (this.#memory.files.isScarce ? 1 : readAheadMax),
      names: {
        dnslink: (domain) => dnslinks.find(domain),
        ipnsRecord: (name, signal) => records.find(name, { signal }),
      },
      subdomainHosts: hosts.subdomainHosts,
    });
    this.content.onChange(() => this.#gateway.forget());
  }

  onApplicationBootstrap(): void {
    serveTunnels(this.http.httpAdapter.getHttpServer());
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
    this.#fetch.registerMetrics(metrics);
    this.content.registerMetrics(metrics);
    registerCorruptBlocks(metrics, { store: this.stored, logger: this.logger });
  }

  async #answer(request: IncomingMessage, response: ServerResponse, record: Record): Promise<void> {
    // A preflight has no credentials (https://fetch.spec.whatwg.org/#cors-preflight-fetch).
    const source = this.#sources.of(request);
    const access: Access = request.method === 'OPTIONS' ? { isShared: true } : await this.access.check(source);
    response.once('close', () => access.admitted?.end());
    const meter = access.principal && new GatewayMeter(this.metering, access.principal);
    record.caller = access.principal;
    record.meter = meter;
    await meter?.admit();
    const { method = 'GET' } = request;
    const { host, target, isHttps, headers } = source;
    if (target.startsWith('/routing/v1/')) return await this.#route(request, response, { access, meter, target });
    const cacheControl = headers['cache-control'] ?? '';
    const isFetching = this.#fetch.allows({ isAccount: meter !== undefined, cacheControl });
    const openSignal = () => {
      const signal = closeSignal(response);
      const lane = meter?.account ?? networkOf(source.address);
      if (isFetching) this.#fetch.open({ signal, lane, meter, isAnswered: () => response.headersSent });
      return signal;
    };
    const asked = new AskedRequest({ method, host, target, headers, isHttps }, openSignal);
    this.#accesses.set(asked, access);
    await this.#send(await this.#gateway.handle(asked), response, { asked, access, meter });
    discardBody(request);
  }

  /** Answers a request of delegated routing. */
  async #route(
    request: IncomingMessage,
    response: ServerResponse,
    { access, meter, target }: Pick<Sending, 'access' | 'meter'> & { readonly target: string },
  ): Promise<void> {
    const { method = 'GET', headers } = request;
    const body = (bytesMax: number) => readBody(request, bytesMax);
    const isSearching = this.#fetch.allows({ isAccount: meter !== undefined });
    const caller = { principal: access.principal, isSearching };
    const answer = await this.routing.handle({ method, target, headers, body }, caller);
    const { length = 0 } = answer.body ?? {};
    access.admitted?.sent(length);
    await meter?.sent(length);
    response.writeHead(answer.status, { 'content-length': length, ...this.#fieldsOf(answer.headers, access) });
    response.end(answer.body);
    discardBody(request);
  }

  async #send(answer: GatewayResponse, response: ServerResponse, { asked, access, meter }: Sending): Promise<void> {
    // Content has the type of its name or bytes. With `nosniff` browsers run no script that has no name.
    if (answer.status < 300) response.removeHeader('x-content-type-options');
    if (access.hasSecretUrl) response.setHeader('referrer-policy', 'no-referrer');
    if (access.cookie !== undefined) response.setHeader('set-cookie', access.cookie);
    const fields = this.#fieldsOf(answer.headers, access);
    const onBytes = async (bytes: number) => {
      access.admitted?.sent(bytes);
      await meter?.sent(bytes);
    };
    if (answer.bytes !== undefined && answer.bytes.length <= endedBytesMax) {
      await onBytes(answer.bytes.length);
      response.writeHead(answer.status, fields).end(answer.bytes);
      return;
    }
    response.writeHead(answer.status, fields);
    const { resume = this.#resumeBytes(answer, asked) } = answer;
    const body = { ...answer, ...(resume && { resume }) };
    const sending = { response, signal: asked.signal, ...this.#memory, onBytes };
    await this.bodies.during(() => sendBody(body, sending));
    response.end();
  }

  /** Reads bytes again that a slow client has not taken. The content may be another one, or refused, meanwhile. */
  #resumeBytes({ bytes, headers }: GatewayResponse, asked: GatewayRequest): GatewayResponse['resume'] {
    if (bytes === undefined) return undefined;
    const { length } = bytes;
    const { etag } = headers;
    const gateway = this.#gateway;
    return async function* (offset) {
      const again = await gateway.handle(asked);
      if (again.bytes?.length !== length || again.headers.etag !== etag)
        throw new Error('the content has changed while it was sent');
      yield again.bytes.subarray(offset);
    };
  }

  /** Encodes the fields of a response once: hot responses share theirs. */
  #fieldsOf(headers: Headers, access: Access): Headers {
    const encoded = access.isShared ? this.#fields.shared : this.#fields.private;
    const known = encoded.get(headers);
    if (known !== undefined) return known;
    const fields = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, fieldOf(name, value, access)]),
    );
    encoded.set(headers, fields);
    return fields;
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse, record: Record): void {
    record.failure = error;
    if (response.destroyed) return;
    // After the status only the end of the connection tells the client that the body is not whole.
    if (response.headersSent) return void cutResponse(response);
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

/** Encodes a field as UTF-8 in one line. Shared caches must not store what a key or a link has opened. */
function fieldOf(name: string, value: string, { isShared }: Access): string {
  const text = name === 'cache-control' && !isShared ? value.replace(/\bpublic\b/, 'private') : value;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these bytes are not allowed in fields (RFC 9110, 5.5).
  return Buffer.from(text.replace(/[\x00-\x1f\x7f]/g, ' ')).toString('latin1');
}

/** Refusal of content that a link or a dedicated host does not open. It does not report whether the content is here. */
function outOfScope(path: string): Refusal {
  return { status: 403, text: `${path} is not readable here: use a link for it, or an API key` };
}
