import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Auth, Client, Principal } from '@cairn/auth';
import { AUTH } from '@cairn/auth/nest';
import { errorChain } from '@cairn/errors';
import { type Dispatcher, errorLine, RpcError } from '@cairn/jsonrpc-core';
import { DISPATCHER } from '@cairn/jsonrpc-core/nest';
import type { Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import { type HeaderFields, type Logger, type RequestSpan, requestId, type Tracing } from '@cairn/service-kit';
import { LOGGER, SETTINGS, TRACING } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { Chain } from '../chains/chain.ts';
import { ChainRegistry } from '../chains/chain-registry.ts';
import { syncStatus } from '../chains/sync-status.ts';
import type { LogStore } from '../methods/logs/logs-of.ts';
import type { RequestContext } from '../request-context.ts';
import { RequestMeter } from '../request-meter.ts';
import type { GatewaySettings } from '../settings.ts';
import { withRecentBlocks } from '../subscriptions/recent-blocks.ts';
import { Subscriptions } from '../subscriptions/subscriptions.ts';
import type { Topic } from '../subscriptions/topic.ts';
import { Turns } from '../subscriptions/turns.ts';
import { admit, admitTopic, identify, keyInPath, limitRefusal, TransportError } from './api-key.ts';

const pingEveryMs = 30_000;
/** Messages that one socket may have in work: more wait unread in the socket. */
const inFlightMax = 64;
/** How long answers in work and farewells may take at a drain before the sockets are cut. */
const drainMsMax = 8000;
/** Answers that a slow reader may leave unread before it is cut off. */
const unsentBytesMax = 64 * 1024 * 1024;

/** Pieces of one message: each is an object of its own until the message is whole. */
const fragmentsMax = 1024;

interface Session {
  readonly id: string;
  /** Of the upgrade. */
  readonly headers: HeaderFields;
  readonly socket: WebSocket;
  /** As it was at the last message: its limits may change. */
  principal: Principal;
  readonly client: Client;
  readonly chain: Chain;
  readonly abort: AbortController;
  readonly subscriptions: Subscriptions;
  inFlight: number;
  isAlive: boolean;
}

interface ServedMessage {
  readonly session: Session;
  readonly meter: RequestMeter;
  readonly span: RequestSpan | undefined;
  readonly bytesIn: number;
  readonly answer: string | Uint8Array | undefined;
}

/** `/ws/v3/<API_KEY>`: the same dispatcher over WebSocket. */
@Injectable()
export class WebSocketTransport {
  readonly #server: WebSocketServer;
  readonly #sessions = new Set<Session>();
  readonly #pinging: NodeJS.Timeout;
  readonly #blocks = new WeakMap<Chain, LogStore>();
  readonly #turns = new Turns((error) => this.logger.error({ causes: errorChain(error) }, 'events cannot be told'));
  #isDraining = false;

  constructor(
    @Inject(AUTH) private readonly auth: Auth,
    @Inject(DISPATCHER) private readonly dispatcher: Dispatcher<RequestContext>,
    @Inject(ChainRegistry) private readonly registry: ChainRegistry,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(SETTINGS) settings: GatewaySettings,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: settings.CAIRN_RPC_BODY_BYTES_MAX,
      maxFragments: fragmentsMax,
      perMessageDeflate: false,
    });
    this.#pinging = setInterval(() => this.#ping(), pingEveryMs).unref();
  }

  /** How many are open. */
  get connections(): number {
    return this.#sessions.size;
  }

  /** Takes upgrades of /ws/v3; false for others. */
  handle(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (!request.url?.startsWith('/ws/v3')) return false;
    const id = requestId(request);
    this.#open(id, request, socket, head).catch((error: unknown) => this.#refuse(id, error, socket));
    return true;
  }

  async #open(id: string, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const key = keyInPath(request.url, '/ws/v3/');
    if (key === undefined)
      throw new TransportError(401, 'notFound', 'The path has no API key; expected /ws/v3/<API_KEY>.');
    const client = { address: request.socket.remoteAddress, origin: request.headers.origin };
    const principal = await identify(this.auth, key, client.address);
    const { notReady } = this.registry;
    if (notReady !== undefined) throw new TransportError(503, 'unavailable', `Not ready: ${notReady}.`);
    const chain = this.registry.byHost(request.headers.host);
    admit(principal, client, chain.network.name);
    const limits = this.metering.limiter.of(principal.account);
    await limits.connect();
    // A client that has gone meanwhile would leave its place taken.
    if (socket.destroyed) return limits.disconnect();
    socket.once('close', () => limits.disconnect());
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const subscriptions = new Subscriptions({
        store: chain.store,
        blocks: this.#blocksOf(chain),
        turns: this.#turns,
        lag: () => webSocket.close(1013, 'events are not being told fast enough'),
        watcher: this.registry.watcher(chain),
        send: (notification, topic) => this.#notify(session, notification, topic),
        syncStatus: () => syncStatus(chain, this.registry.sourceHead(chain.network.name)),
      });
      const session: Session = {
        id,
        headers: request.headers,
        socket: webSocket,
        principal,
        client,
        chain,
        abort: new AbortController(),
        subscriptions,
        inFlight: 0,
        isAlive: true,
      };
      this.#begin(session);
    });
  }

  #blocksOf(chain: Chain): LogStore {
    const blocks = this.#blocks.get(chain) ?? withRecentBlocks(chain.store);
    this.#blocks.set(chain, blocks);
    return blocks;
  }

  /** Refuses an upgrade with the status and the error body that HTTP would get. */
  #refuse(id: string, thrown: unknown, socket: Duplex): void {
    const error = limitRefusal(thrown);
    const known = error instanceof RpcError ? error : undefined;
    if (known === undefined) this.logger.error({ requestId: id, causes: errorChain(error) }, 'upgrade failed');
    const told = known ?? new RpcError('internal', `Internal error (reference ${id}).`);
    const status = error instanceof TransportError ? error.status : known ? 404 : 500;
    const headers =
      error instanceof TransportError
        ? Object.entries(error.headers).map(([name, value]) => `${name}: ${value}\r\n`)
        : [];
    const body = errorLine('null', told);
    const start = `HTTP/1.1 ${status} ${statusTexts[status] ?? 'Error'}\r\nconnection: close\r\ncontent-type: application/json\r\n`;
    socket.end(`${start}${headers.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    this.logger.info({ requestId: id, status }, 'upgrade refused');
  }

  #begin(session: Session): void {
    const { id, socket, principal, chain, abort, subscriptions } = session;
    this.#sessions.add(session);
    this.logger.info({ requestId: id, account: principal.account.id, network: chain.network.name }, 'socket opened');
    socket.on('message', (data) => this.#message(session, data));
    socket.on('pong', () => {
      session.isAlive = true;
    });
    // Too long a message, wrong UTF-8 and broken frames end here; ws closes with the code that says which.
    socket.on('error', (error) => this.logger.info({ requestId: id, reason: error.message }, 'socket error'));
    socket.once('close', (code) => {
      this.#sessions.delete(session);
      subscriptions.close();
      abort.abort(new Error('the client closed the connection'));
      this.logger.info({ requestId: id, code }, 'socket closed');
    });
  }

  #message(session: Session, data: RawData): void {
    if (this.#isDraining) return;
    const { socket } = session;
    const body = Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? Buffer.from(data) : data;
    session.inFlight++;
    if (session.inFlight >= inFlightMax) socket.pause();
    this.#answer(session, body)
      .then((answer) => this.#send(session, answer))
      .catch((error: unknown) => this.#end(session, error))
      .finally(() => {
        session.inFlight--;
        if (session.inFlight < inFlightMax && socket.isPaused) socket.resume();
        if (this.#isDraining && session.inFlight === 0) socket.close(1001, goingAway);
      });
  }

  async #answer(session: Session, body: Buffer): Promise<string | Uint8Array | undefined> {
    const { chain, subscriptions, abort } = session;
    const principal = await this.#authorized(session);
    const span = this.tracing.start(session.headers);
    const meter = new RequestMeter(this.metering, principal, chain.network.name, span);
    let answer: string | Uint8Array | undefined;
    let status = 200;
    try {
      await meter.enter();
      await meter.requireRoom(body.length);
      const { registry } = this;
      const context = { chain, registry, principal, subscriptions, signal: abort.signal, meter };
      answer = await this.dispatcher.handle(body, context);
    } catch (error) {
      const told = limitRefusal(error);
      if (!(told instanceof TransportError)) throw error;
      status = told.status;
      answer = errorLine('null', told);
    } finally {
      meter.end({ bytesIn: body.length, bytesOut: answer === undefined ? 0 : Buffer.byteLength(answer), status });
      const attributes = { 'network.protocol.name': 'websocket', 'cairn.network': chain.network.name };
      span?.end({ name: 'message /ws/v3/:key', status, attributes });
      this.#log({ session, meter, span, bytesIn: body.length, answer });
    }
    return answer;
  }

  #log({ session, meter, span, bytesIn, answer }: ServedMessage): void {
    if (!this.logger.isLevelEnabled('info')) return;
    const { id, principal, chain } = session;
    this.logger.info(
      {
        requestId: id,
        traceId: span?.traceId,
        network: chain.network.name,
        account: principal.account.id,
        key: principal.key.reference,
        calls: meter.calls,
        credits: meter.credits,
        gas: meter.gas,
        bytesIn,
        bytesOut: answer === undefined ? 0 : Buffer.byteLength(answer),
      },
      'message',
    );
  }

  #notify(session: Session, notification: string, topic: Topic): void {
    if (this.#isDraining) return;
    this.#authorized(session)
      .then((principal) => {
        admitTopic(principal, topic);
        const meter = new RequestMeter(this.metering, principal, session.chain.network.name);
        meter.notified(Buffer.byteLength(notification));
        this.#send(session, notification);
      })
      .catch((error: unknown) => this.#end(session, error));
  }

  #send({ socket }: Session, message: string | Uint8Array | undefined): void {
    if (message !== undefined && socket.readyState === WebSocket.OPEN) socket.send(message, { binary: false });
    if (socket.bufferedAmount > unsentBytesMax) socket.close(1013, 'answers are not being read');
  }

  #end({ socket }: Session, error: unknown): void {
    if (error instanceof TransportError) socket.close(1008, 'the API key is no longer open for this');
    else socket.close(1011, 'internal error');
  }

  /** A key that was revoked since the socket was opened ends it at its next message, whichever way that goes. */
  async #authorized(session: Session): Promise<Principal> {
    const { principal, client, chain } = session;
    session.principal = await identify(this.auth, principal.key.id, client.address);
    admit(session.principal, client, chain.network.name);
    return session.principal;
  }

  #ping(): void {
    for (const session of this.#sessions) {
      if (!session.isAlive) session.socket.terminate();
      session.isAlive = false;
      session.socket.ping();
      // A socket that says nothing and hears nothing would outlive its key.
      this.#authorized(session).catch((error: unknown) => this.#end(session, error));
    }
  }

  /** Tells every client, answers what is in work, takes nothing new, and closes. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    clearInterval(this.#pinging);
    for (const { socket, inFlight } of this.#sessions) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'cairn_shutdown', params: { reason: goingAway } }));
      if (inFlight === 0) socket.close(1001, goingAway);
    }
    setTimeout(() => {
      for (const { socket } of this.#sessions) socket.terminate();
    }, drainMsMax).unref();
  }
}

const goingAway = 'the service is shutting down';

const statusTexts: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  429: 'Too Many Requests',
  403: 'Forbidden',
  404: 'Not Found',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};
