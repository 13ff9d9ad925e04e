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
import type { LogReader } from '../methods/logs/logs-of.ts';
import type { RequestContext } from '../request-context.ts';
import { RequestMeter } from '../request-meter.ts';
import { withRecentBlocks } from '../subscriptions/recent-blocks.ts';
import { RoundRobin } from '../subscriptions/round-robin.ts';
import { Subscriptions } from '../subscriptions/subscriptions.ts';
import type { Topic } from '../subscriptions/topic.ts';
import { ApiKeyGuard } from './api-key-guard.ts';
import type { Connection } from './connection.ts';
import { transportErrorFrom } from './json-rpc-error-filter.ts';
import { MeteringInterceptor } from './metering-interceptor.ts';
import { TransportError } from './transport-error.ts';
import type { AdmittedClient } from './web-socket-adapter.ts';

const pingEveryMs = 30_000;
/** Messages of one connection that are answered concurrently; further ones stay unread in the socket. */
const inFlightMax = 64;
/** Longest wait for answers and close frames in a drain, before the remaining connections are cut. */
const drainMsMax = 8000;
/** A connection with more unread bytes is closed. */
const unsentBytesMax = 64 * 1024 * 1024;
const goingAway = 'the service is shutting down';

/** JSON-RPC and subscriptions over WebSocket connections. {@link ApiKeyWebSocketAdapter} has authenticated them. */
@WebSocketGateway()
export class JsonRpcWebSocketGateway implements OnGatewayConnection<WebSocket>, OnGatewayDisconnect<WebSocket> {
  readonly #connections = new Map<WebSocket, Connection>();
  readonly #pinging: NodeJS.Timeout;
  readonly #recentBlocks = new WeakMap<Chain, LogReader>();
  readonly #notifications = new RoundRobin((error) =>
    this.logger.error({ causes: errorChain(error) }, 'subscription events cannot be sent'),
  );
  #isDraining = false;

  constructor(
    @Inject(ApiKeyGuard) private readonly guard: ApiKeyGuard,
    @Inject(MeteringInterceptor) private readonly interceptor: MeteringInterceptor,
    @Inject(Dispatcher) private readonly dispatcher: Dispatcher<RequestContext>,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(LOGGER) private readonly logger: Logger,
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

  #subscriptions(socket: WebSocket, { chain }: AdmittedClient): Subscriptions {
    return new Subscriptions({
      chain,
      blocks: this.#recentBlocksOf(chain),
      scheduler: this.#notifications,
      onLag: () => socket.close(1013, 'the client reads events too slowly'),
      send: (notification, topic) => this.#notify(socket, notification, topic),
    });
  }

  /** Connections of a network share the decoded blocks. */
  #recentBlocksOf(chain: Chain): LogReader {
    const blocks = this.#recentBlocks.get(chain) ?? withRecentBlocks(chain.reader);
    this.#recentBlocks.set(chain, blocks);
    return blocks;
  }

  #message(connection: Connection, data: RawData): void {
    if (this.#isDraining) return;
    const { socket } = connection;
    const body = Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? Buffer.from(data) : data;
    connection.inFlight++;
    if (connection.inFlight >= inFlightMax) socket.pause();
    this.#answer(connection, body)
      .then((answer) => this.#send(socket, answer))
      .catch((error: unknown) => this.#close(socket, error))
      .finally(() => {
        connection.inFlight--;
        if (connection.inFlight < inFlightMax && socket.isPaused) socket.resume();
        if (this.#isDraining && connection.inFlight === 0) socket.close(1001, goingAway);
      });
  }

  async #answer(connection: Connection, body: Buffer): Promise<string | Uint8Array | undefined> {
    const { chain, subscriptions, abort } = connection;
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

  #notify(socket: WebSocket, notification: string, topic: Topic): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || this.#isDraining) return;
    this.#authorize(connection)
      .then((principal) => {
        this.guard.requireTopic(principal, topic);
        const meter = new RequestMeter(this.metering, principal, connection.chain.network.name);
        meter.notified(Buffer.byteLength(notification));
        this.#send(socket, notification);
      })
      .catch((error: unknown) => this.#close(socket, error));
  }

  #send(socket: WebSocket, message: string | Uint8Array | undefined): void {
    if (message !== undefined && socket.readyState === WebSocket.OPEN) socket.send(message, { binary: false });
    if (socket.bufferedAmount > unsentBytesMax) socket.close(1013, 'the client reads answers too slowly');
  }

  #close(socket: WebSocket, error: unknown): void {
    if (error instanceof TransportError) socket.close(1008, 'the API key no longer allows this');
    else socket.close(1011, 'internal error');
  }

  /** Authenticates again, so that a revoked key ends its connection at the next message in either direction. */
  async #authorize(connection: Connection): Promise<Principal> {
    const { principal, client, chain } = connection;
    connection.principal = await this.guard.identify(principal.key.id, client.address);
    this.guard.requireAllowed(connection.principal, client, chain.network.name);
    return connection.principal;
  }

  #ping(): void {
    for (const [socket, connection] of this.#connections) {
      if (!connection.isAlive) socket.terminate();
      connection.isAlive = false;
      socket.ping();
      // Without this check, an idle connection would outlive its key.
      this.#authorize(connection).catch((error: unknown) => this.#close(socket, error));
    }
  }

  /** Announces the shutdown, refuses new messages, and closes each connection when its messages are answered. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    clearInterval(this.#pinging);
    for (const { socket, inFlight } of this.#connections.values()) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'cairn_shutdown', params: { reason: goingAway } }));
      if (inFlight === 0) socket.close(1001, goingAway);
    }
    setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.terminate();
    }, drainMsMax).unref();
  }
}
