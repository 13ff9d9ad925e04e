import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

const established = 'HTTP/1.1 200 Connection Established\r\n\r\n';

/** A tunnel in a tunnel reaches the same content. Without an end, each one would stay in memory with its connection. */
const refusal =
  'HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD, OPTIONS\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** Answers CONNECT by serving the tunnel itself: the gateway is an HTTP proxy for its own content only. */
export function serveTunnels(server: Server): void {
  const tunnels = new WeakSet<Duplex>();
  server.on('connect', (_: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (tunnels.has(socket)) {
      socket.end(refusal, () => socket.destroy());
      return;
    }
    tunnels.add(socket);
    socket.on('error', () => socket.destroy());
    if (head.length > 0) socket.unshift(head);
    socket.write(established);
    server.emit('connection', socket);
  });
}
