import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** Relays TCP connections of one loopback port to others in turn: a balancer, or a line to an engine that can be cut. */
export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #targets: readonly number[] = [];
  #next = 0;
  #isCut = false;

  private constructor() {
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(targets: readonly number[] = []): Promise<Relay> {
    const relay = new Relay();
    relay.#targets = targets;
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Sets the ports of new connections. */
  set targets(ports: readonly number[]) {
    this.#targets = ports;
  }

  /** Resets all connections, and new ones until {@link restore}. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) end(socket);
  }

  restore(): void {
    this.#isCut = false;
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Connects to the next target that accepts; a process that does not listen is left out, as a balancer does. */
  #accept(client: Socket, tries = 0): void {
    this.#keep(client);
    const port = this.#targets[this.#next++ % this.#targets.length];
    if (this.#isCut || port === undefined || tries === this.#targets.length) {
      end(client);
      return;
    }
    const target = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#keep(target);
    const retry = () => this.#accept(client, tries + 1);
    target.once('error', retry);
    target.once('connect', () => {
      target.off('error', retry);
      client.setNoDelay(true);
      // A pipeline destroys both ends where one of them fails.
      pipeline(client, target, () => {});
      pipeline(target, client, () => {});
    });
  }

  #keep(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** Resets a connection. A reset while the socket shuts down would leave its handle open. */
function end(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
