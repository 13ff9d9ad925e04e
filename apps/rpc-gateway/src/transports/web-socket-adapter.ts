import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Client, Principal } from '@cairn/auth';
import type { Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import { type HeaderFields, type Logger, requestId } from '@cairn/service-kit';
import { LOGGER, SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable, type WebSocketAdapter } from '@nestjs/common';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Chain } from '../chains/chain.ts';
import type { GatewaySettings } from '../settings.ts';
import { ApiKeyGuard, requireKeyInPath } from './api-key-guard.ts';
import { ReasonedWebSocket } from './close-reasons.ts';
import { JsonRpcErrorFilter } from './json-rpc-error-filter.ts';
import { NetworkResolver } from './network-resolver.ts';

/** Most fragments of one message: `ws` keeps an object for each until the message is complete. */
const fragmentsMax = 1024;
const keyPrefix = '/ws/v3/';

/** A client whose upgrade was authenticated. */
export interface AdmittedClient {
  /** Request id of the upgrade. */
  readonly id: string;
  /** Key or delegation of the upgrade, which is checked again for each message. */
  readonly key: string;
  readonly principal: Principal;
  readonly client: Client;
  readonly chain: Chain;
  /** Header fields of the upgrade. */
  readonly headers: HeaderFields;
}

/** Nest adapter of `ws` for `/ws/v3/<API_KEY>`. It authenticates the upgrade, and refuses it with a status and a JSON-RPC body. */
@Injectable()
export class ApiKeyWebSocketAdapter implements WebSocketAdapter<WebSocketServer, WebSocket> {
  readonly #server: WebSocketServer;

  constructor(
    @Inject(ApiKeyGuard) private readonly guard: ApiKeyGuard,
    @Inject(NetworkResolver) private readonly networks: NetworkResolver,
    @Inject(JsonRpcErrorFilter) private readonly filter: JsonRpcErrorFilter,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(SETTINGS) settings: GatewaySettings,
  ) {
    this.#server = new WebSocketServer({
      noServer: true,
      WebSocket: ReasonedWebSocket,
      maxPayload: settings.CAIRN_RPC_BODY_BYTES_MAX,
      maxFragments: fragmentsMax,
      // Other connections are served between two messages: hundreds can arrive together, and each may execute a call.
      allowSynchronousEvents: false,
      perMessageDeflate: false,
    });
  }

  create(): WebSocketServer {
    return this.#server;
  }

  bindClientConnect(server: WebSocketServer, callback: (socket: WebSocket, client: AdmittedClient) => void): void {
    server.on('connection', callback);
  }

  bindClientDisconnect(socket: WebSocket, callback: (code: number) => void): void {
    socket.once('close', callback);
  }

  /** Binds nothing: the gateway handles messages directly, which is faster (docs/decisions/raw-http-path.md). */
  bindMessageHandlers(): void {}

  close(server: WebSocketServer): void {
    for (const socket of server.clients) socket.terminate();
    server.close();
  }

  /** Called by Nest at shutdown, after {@link close}. */
  dispose(): void {}

  /** Handles upgrades of /ws/v3; returns false for others. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (!request.url?.startsWith('/ws/v3')) return false;
    const id = requestId(request);
    this.#upgrade(id, request, socket, head).catch((error: unknown) => this.#refuse(id, error, socket));
    return true;
  }

  async #upgrade(id: string, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const key = requireKeyInPath(request.url, keyPrefix);
    const client = { address: request.socket.remoteAddress, origin: request.headers.origin };
    const principal = await this.guard.identify(key, client.address);
    const chain = this.networks.resolve(request.headers.host);
    this.guard.requireAllowed(principal, client, chain.network.name);
    const limits = this.metering.limiter.of(principal.account);
    await limits.connect();
    // Without this check, a client that disconnected meanwhile would keep its connection slot forever.
    if (socket.destroyed) return limits.disconnect();
    socket.once('close', () => limits.disconnect());
    const admitted: AdmittedClient = { id, key, principal, client, chain, headers: request.headers };
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#server.emit('connection', webSocket, admitted);
    });
  }

  /** Refuses an upgrade with the status and the body that the same request gets over HTTP. */
  #refuse(id: string, error: unknown, socket: Duplex): void {
    const { status, headers, body } = this.filter.catch(error, id);
    const fields = { connection: 'close', ...headers, 'content-length': String(Buffer.byteLength(body)) };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${lines.join('')}\r\n${body}`);
    this.logger.info({ requestId: id, status }, 'upgrade refused');
  }
}
