import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import type { Listener, MultiaddrConnection, Transport, Upgrader } from '@libp2p/interface';
import type { Multiaddr } from '@multiformats/multiaddr';
import { multiaddrToUri } from '@multiformats/multiaddr-to-uri';
import { WebSocket } from 'ws';
import { peerLimits } from '../limits.ts';
import type { PendingHosts } from './bound-handshakes.ts';
import { wrapUpgrader } from './wrap-upgrader.ts';

/** Parts of @libp2p/websockets 10 that its types keep private. */
interface WebSocketTransport extends Transport {
  _connect(address: Multiaddr, options?: { readonly signal?: AbortSignal }): Promise<WebSocket>;
}

interface WebSocketListener extends Listener {
  readonly server: Server;
  readonly wsServer: { readonly options: { maxPayload?: number } };
  onWsServerConnection(socket: WebSocket, request: { readonly socket: Socket }): void;
}

interface WebSocketConnection extends MultiaddrConnection {
  readonly websocket: WebSocket;
  sendReset(): void;
  onRemoteReset(): void;
}

export interface WebSocketLimits {
  readonly connectionsMax: number;
  readonly webSocketMessageBytesMax: number;
  readonly webSocketUpgradeMs: number;
}

/**
 * Bounds the WebSockets of @libp2p/websockets 10. Without it, one invalid frame of a stranger ends the process, a message may
 * have 100 MiB before any handshake, sockets that never become a WebSocket stay open, and an aborted connection does too. It
 * also dials where Node has no global WebSocket (Node 20).
 */
export function boundWebSockets<Components>(
  create: (components: Components) => Transport,
  hosts: PendingHosts,
  limits: WebSocketLimits = peerLimits,
) {
  return (components: Components): Transport => {
    const transport = create(components) as WebSocketTransport;
    transport._connect = (address, { signal } = {}) => connect(address, limits, signal);
    const dial = transport.dial.bind(transport);
    transport.dial = (address, options) => dial(address, { ...options, upgrader: resettingUpgrader(options.upgrader) });
    const createListener = transport.createListener.bind(transport);
    transport.createListener = (options) => {
      const upgrader = resettingUpgrader(options.upgrader);
      const listener = createListener({ ...options, upgrader }) as WebSocketListener;
      boundListener(listener, hosts, limits);
      return listener;
    };
    return transport;
  };
}

async function connect(
  address: Multiaddr,
  { webSocketMessageBytesMax: maxPayload }: WebSocketLimits,
  signal?: AbortSignal,
): Promise<WebSocket> {
  const socket = new WebSocket(multiaddrToUri(address), { maxPayload, perMessageDeflate: false });
  socket.binaryType = 'arraybuffer';
  handleErrors(socket);
  try {
    await once(socket, 'open', { signal });
  } catch (error) {
    socket.terminate();
    throw error;
  }
  return socket;
}

/** An error without a listener ends the process. The close event that follows it ends the connection. */
function handleErrors(socket: WebSocket): void {
  socket.on('error', () => {});
}

function boundListener(listener: WebSocketListener, hosts: PendingHosts, limits: WebSocketLimits): void {
  const pending = new Map<Socket, () => void>();
  const leave = (socket: Socket) => {
    pending.get(socket)?.();
    pending.delete(socket);
  };
  listener.wsServer.options.maxPayload = limits.webSocketMessageBytesMax;
  // Closing sockets count too: a peer may take 30 seconds to answer a close frame.
  listener.server.maxConnections = 2 * limits.connectionsMax;
  listener.server.on('connection', (socket) => {
    const release = hosts.enter(socket.remoteAddress ?? '');
    if (release === undefined) {
      socket.destroy();
      return;
    }
    const timer = setTimeout(() => socket.destroy(), limits.webSocketUpgradeMs).unref();
    pending.set(socket, () => {
      clearTimeout(timer);
      release();
    });
    socket.once('close', () => leave(socket));
  });
  const onConnection = listener.onWsServerConnection.bind(listener);
  listener.onWsServerConnection = (socket, request) => {
    handleErrors(socket);
    leave(request.socket);
    onConnection(socket, request);
  };
  // Sockets without a request are not in the list that the listener ends. They would delay its end.
  const close = listener.close.bind(listener);
  listener.close = async () => {
    const closed = close();
    for (const socket of pending.keys()) socket.destroy();
    await closed;
  };
}

/** Ends the socket of a connection that is refused or aborted. The transport closes it with a code that `ws` refuses to send. */
function resettingUpgrader(upgrader: Upgrader): Upgrader {
  return wrapUpgrader(upgrader, {
    upgradeInbound: (connection, options) =>
      endingRefused(connection, () => upgrader.upgradeInbound(connection, options)),
    upgradeOutbound: (connection, options) =>
      endingRefused(connection, () => upgrader.upgradeOutbound(connection, options)),
  });
}

async function endingRefused<T>(connection: MultiaddrConnection, upgrade: () => Promise<T>): Promise<T> {
  resetByEnd(connection as WebSocketConnection);
  try {
    return await upgrade();
  } catch (error) {
    (connection as WebSocketConnection).websocket.terminate();
    throw error;
  }
}

function resetByEnd(connection: WebSocketConnection): void {
  connection.sendReset = () => connection.websocket.terminate();
  const onRemoteReset = connection.onRemoteReset.bind(connection);
  // The end of the socket is reported as a reset of the other side, also after an abort of this one.
  connection.onRemoteReset = () => {
    if (connection.status !== 'aborted') onRemoteReset();
  };
}
