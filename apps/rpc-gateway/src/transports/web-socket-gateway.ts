import type { Principal } from '@cairn/auth';
import { errorChain } from '@cairn/errors';
import { Dispatcher, errorLine } from '@cairn/jsonrpc-core';
import type { Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import type { Logger } from '@cairn/service-kit';
import { LOGGER } from '@cairn/service-kit/nest';
import { Inject } from '@nestjs/common';
import { type OnGatewayConnection, type OnGatewayDisconnect, WebSocketGateway } from '@nestjs/websockets';
import { type RawData, WebSocket } from 'ws';
import type { Chain } from '../chains/chain.ts';
import type { RequestContext } from '../request-context.ts';
import { RequestMeter } from '../request-meter.ts';
import { PendingRegistry } from '../sending/pending-transactions.ts';
import { ChainEvents } from '../subscriptions/chain-events.ts';
import { MessageSubscriptions } from '../subscriptions/message-subscriptions.ts';
import { RoundRobin } from '../subscriptions/round-robin.ts';
import { Subscriptions } from '../subscriptions/subscriptions.ts';
import type { Topic } from '../subscriptions/topic.ts';
import { ApiKeyGuard } from './api-key-guard.ts';
import { closeFor, closeOf, closeReasons } from './close-reasons.ts';
import type { Connection } from './connection.ts';
import { transportErrorFrom } from './json-rpc-error-filter.ts';
import { MeteringInterceptor } from './metering-interceptor.ts';
import { TransportError } from './transport-error.ts';
import type { AdmittedClient } from './web-socket-adapter.ts';

const pingEveryMs = 30_000;
/** Messages of one connection that are answered concurrently; further ones stay unread in the socket. */
const inFlightMax = 64;
/** Longest wait for answers and close frames in a drain, before the remaining connections are closed without their answers. */
const drainMsMax = 8000;
/** A connection with more unread bytes is closed. */
const unsentBytesMax = 64 * 1024 * 1024;
/** Further events of a connection with more unread bytes wait. */
const unsentEventBytesMax = 1024 * 1024;

/** JSON-RPC and subscriptions over WebSocket connections. {@link ApiKeyWebSocketAdapter} has authenticated them. */
@WebSocketGateway()
export class JsonRpcWebSocketGateway implements OnGatewayConnection<WebSocket>, OnGatewayDisconnect<WebSocket> {
  readonly #connections = new Map<WebSocket, Connection>();
  readonly #pinging: NodeJS.Timeout;
  readonly #events = new WeakMap<Chain, ChainEvents>();
  readonly #notifications = new RoundRobin();
  #isDraining = false;

  constructor(
    @Inject(ApiKeyGuard) private readonly guard: ApiKeyGuard,
    @Inject(MeteringInterceptor) private readonly interceptor: MeteringInterceptor,
    @Inject(Dispatcher) private readonly dispatcher: Dispatcher<RequestContext>,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(PendingRegistry) private readonly pending: PendingRegistry,
  ) {
    this.#pinging = setInterval(() => this.#ping(), pingEveryMs).unref();
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#connections.size;
  }

  handleConnection(socket: WebSocket, admitted: AdmittedClient): void {
    const connection: Connection = {
      ...admitted,
      socket,
      abort: new AbortController(),
      subscriptions: this.#subscriptions(socket, admitted),
      inFlight: 0,
      isAlive: true,
    };
    const { id, principal, chain } = connection;
    this.#connections.set(socket, connection);
    this.logger.info({ requestId: id, account: principal.account.id, network: chain.network.name }, 'socket opened');
    socket.on('message', (data) => this.#message(connection, data));
    socket.on('pong', () => {
      connection.isAlive = true;
    });
    // Raised for long messages, invalid UTF-8 and broken frames. `ws` closes with the matching code.
    socket.on('error', (error) => this.logger.info({ requestId: id, reason: error.message }, 'socket error'));
    socket.once('close', (code) => this.logger.info({ requestId: id, code }, 'socket closed'));
  }

  handleDisconnect(socket: WebSocket): void {
    const connection = this.#connections.get(socket);
    this.#connections.delete(socket);
    connection?.subscriptions.close();
    connection?.abort.abort(new Error('The client closed the connection.'));
  }

  #subscriptions(socket: WebSocket, { id, chain }: AdmittedClient): Subscriptions {
    return new Subscriptions({
      chain,
      events: this.#eventsOf(chain),
      pending: this.pending.of(chain),
      scheduler: this.#notifications,
      onLag: () => closeFor(socket, 'eventsUnread'),
      onFailure: (error) => {
        this.logger.error({ requestId: id, causes: errorChain(error) }, 'subscription events cannot be read');
        closeFor(socket, 'eventsUnreadable');
      },
      send: (notifications, topic) => this.#notify(socket, notifications, topic),
    });
  }

  /** Connections of a network share the reads of its blocks. */
  #eventsOf(chain: Chain): ChainEvents {
    const events = this.#events.get(chain) ?? new ChainEvents(chain);
    this.#events.set(chain, events);
    return events;
  }

  #message(connection: Connection, data: RawData): void {
    if (this.#isDraining) return;
    const { socket } = connection;
    const body = Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? Buffer.from(data) : data;
    connection.inFlight++;
    if (connection.inFlight >= inFlightMax) socket.pause();
    const subscriptions = new MessageSubscriptions(connection.subscriptions);
    this.#answer(connection, subscriptions, body)
      .then((answer) => {
        this.#send(socket, answer);
        subscriptions.answered();
      })
      .catch((error: unknown) => closeFor(socket, closeOf(error)))
      .finally(() => {
        connection.inFlight--;
        if (connection.inFlight < inFlightMax && socket.isPaused) socket.resume();
        if (this.#isDraining && connection.inFlight === 0) closeFor(socket, 'shutdown');
      });
  }

  async #answer(
    connection: Connection,
    subscriptions: MessageSubscriptions,
    body: Buffer,
  ): Promise<string | Uint8Array | undefined> {
    const { chain, abort } = connection;
    const principal = await this.#authorize(connection);
    const metered = this.interceptor.start(connection.headers, connection.id);
    const meter = this.interceptor.meter(metered, principal, chain.network.name);
    metered.bytesIn = body.length;
    let answer: string | Uint8Array | undefined;
    let status = 200;
    try {
      await meter.enter();
      await meter.requireRoom(body.length);
      if (chain.upstreams === undefined) meter.recordProof('executed');
      const context = { chain, principal, subscriptions, signal: abort.signal, meter };
      answer = await this.dispatcher.handle(body, context);
    } catch (thrown) {
      const error = transportErrorFrom(thrown);
      if (!(error instanceof TransportError)) throw error;
      status = error.status;
      answer = errorLine('null', error);
    } finally {
      const bytesOut = answer === undefined ? 0 : Buffer.byteLength(answer);
      const attributes = { 'network.protocol.name': 'websocket' };
      const name = 'message /ws/v3/:key';
      this.interceptor.end(metered, { name, status, bytesOut, attributes, message: 'message' });
    }
    return answer;
  }

  /** Sends events of one subscription. Resolves when the client has read most of what was sent. Never rejects. */
  async #notify(socket: WebSocket, notifications: readonly string[], topic: Topic): Promise<void> {
    const connection = this.#connections.get(socket);
    if (connection === undefined || this.#isDraining) return;
    try {
      const principal = await this.#authorize(connection);
      this.guard.requireTopic(principal, topic);
      const meter = new RequestMeter(this.metering, principal, connection.chain.network.name);
      for (const notification of notifications) {
        if (socket.readyState !== WebSocket.OPEN) return;
        meter.notified(Buffer.byteLength(notification));
        socket.send(notification, { binary: false });
      }
    } catch (error) {
      closeFor(socket, closeOf(error));
    }
    if (socket.bufferedAmount > unsentEventBytesMax) await this.#flushed(socket);
  }

  /** Resolves when everything that was sent up to now is in the buffers of the system, or the connection ended. */
  #flushed(socket: WebSocket): Promise<void> {
    return new Promise((resolve) => socket.ping(undefined, false, () => resolve()));
  }

  #send(socket: WebSocket, message: string | Uint8Array | undefined): void {
    if (message !== undefined && socket.readyState === WebSocket.OPEN) socket.send(message, { binary: false });
    if (socket.bufferedAmount > unsentBytesMax) closeFor(socket, 'answersUnread');
  }

  /** Authenticates again, so that a revoked key ends its connection at the next message in either direction. */
  async #authorize(connection: Connection): Promise<Principal> {
    const { key, client, chain } = connection;
    connection.principal = await this.guard.identify(key, client.address);
    this.guard.requireAllowed(connection.principal, client, chain.network.name);
    return connection.principal;
  }

  #ping(): void {
    for (const [socket, connection] of this.#connections) {
      if (!connection.isAlive) closeFor(socket, 'pongMissing');
      connection.isAlive = false;
      socket.ping();
      // Without this check, an idle connection would outlive its key.
      this.#authorize(connection).catch((error: unknown) => closeFor(socket, closeOf(error)));
    }
  }

  /** Announces the shutdown, refuses new messages, and closes each connection when its messages are answered. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    clearInterval(this.#pinging);
    for (const { socket, inFlight } of this.#connections.values()) {
      socket.send(
        JSON.stringify({ jsonrpc: '2.0', method: 'cairn_shutdown', params: { reason: closeReasons.shutdown.reason } }),
      );
      if (inFlight === 0) closeFor(socket, 'shutdown');
    }
    setTimeout(() => {
      for (const socket of this.#connections.keys()) closeFor(socket, 'shutdown');
    }, drainMsMax).unref();
  }
}
