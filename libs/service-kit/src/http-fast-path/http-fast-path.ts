import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { FastConnection } from './fast-connection.ts';
import type { FastHandler } from './fast-request.ts';

/**
 * Serves plain requests before Node's HTTP parser, without the objects and streams that it creates for each request.
 * It is several times as fast. Any other request goes to the server together with its connection, unchanged.
 */
export class HttpFastPath {
  readonly #connections = new Set<FastConnection>();
  #isDraining = false;

  constructor(
    server: HttpServer | HttpsServer,
    { handler, keepAliveMs }: { readonly handler: FastHandler; readonly keepAliveMs: number },
  ) {
    const event = server instanceof TlsServer ? 'secureConnection' : 'connection';
    const listeners = server.listeners(event) as ((socket: Socket) => void)[];
    server.removeAllListeners(event);
    const handOver = (socket: Socket, unread: Buffer) => {
      // Paused, since the listeners would otherwise read before the received bytes are put back.
      socket.pause();
      for (const listener of listeners) listener.call(server, socket);
      socket.unshift(unread);
      socket.resume();
    };
    const onClose = (connection: FastConnection) => this.#connections.delete(connection);
    server.on(event, (socket: Socket) => {
      const connection = new FastConnection(socket, { handler, keepAliveMs, handOver, onClose });
      this.#connections.add(connection);
      if (this.#isDraining) connection.drain({ lingers: true });
    });
  }

  /** Connections that have not been handed over. */
  get size(): number {
    return this.#connections.size;
  }

  /** Requests whose response is not yet written to its connection. */
  get inFlight(): number {
    let count = 0;
    for (const { isAnswering } of this.#connections) if (isAnswering) count++;
    return count;
  }

  /** Ends every connection as soon as its request is answered. `lingers`: connections without a request may send one more. */
  drain({ lingers = false } = {}): void {
    this.#isDraining = true;
    for (const connection of this.#connections) connection.drain({ lingers });
  }

  /** Destroys every connection. */
  destroy(): void {
    for (const connection of this.#connections) connection.destroy();
  }
}
