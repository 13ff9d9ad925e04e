import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const KiB = 1024;

/** Answer of a gateway to a request for a block. `sent` counts its bytes. */
type Behaviour = (response: ServerResponse, sent: (bytes: number) => void) => void;

/** Writes chunks for as long as the client reads them. */
function pour(response: ServerResponse, chunk: Uint8Array, sent: (bytes: number) => void): void {
  const more = () => {
    while (!response.destroyed) {
      sent(chunk.length);
      if (!response.write(chunk)) return void response.once('drain', more);
    }
  };
  more();
}

/** Faults of HTTP gateways: what a stranger can answer instead of a block. */
const behaviours = {
  'other bytes': (response, sent) => {
    sent(100 * KiB);
    response.end(Buffer.alloc(100 * KiB, 1));
  },
  'a length of 10 GiB': (response, sent) => {
    response.writeHead(200, { 'content-length': 10 * 1024 ** 3 });
    pour(response, Buffer.alloc(64 * KiB), sent);
  },
  'an endless body': (response, sent) => pour(response, Buffer.alloc(64 * KiB), sent),
  'an end in the middle': (response, sent) => {
    sent(1000);
    response.writeHead(200, { 'content-length': 100 * KiB });
    response.write(Buffer.alloc(1000), () => response.destroy());
  },
  'a redirect to another host': (response) => void response.writeHead(302, { location: 'http://localhost:1/' }).end(),
  'fields of 200 KiB': (response) => {
    response.writeHead(200, { 'x-much': 'm'.repeat(200 * KiB) }).end();
  },
  'a byte per second': (response, sent) => {
    const timer = setInterval(() => {
      sent(1);
      response.write('x');
    }, 1000);
    response.on('close', () => clearInterval(timer));
  },
  'no answer': () => {},
} as const satisfies Readonly<Record<string, Behaviour>>;

/** HTTP gateways on loopback: one for each fault, and an honest one, which is asked last. */
export class HostileGateways {
  /** Blocks of the honest gateway by CID. */
  readonly blocks = new Map<string, Uint8Array>();
  /** Requests and bytes by fault. */
  readonly requests = new Map<string, number>();
  readonly bytes = new Map<string, number>();
  readonly #servers: Server[] = [];

  async start(): Promise<string> {
    const urls: string[] = [];
    for (const [name, answer] of Object.entries<Behaviour>(behaviours))
      urls.push(
        await this.#listen((_, response) => {
          add(this.requests, name, 1);
          response.on('error', () => {});
          answer(response, (bytes) => add(this.bytes, name, bytes));
        }),
      );
    urls.push(
      await this.#listen((url, response) => {
        const bytes = this.blocks.get(/^\/ipfs\/(\w+)/.exec(url)?.[1] ?? '');
        if (bytes === undefined) response.writeHead(404).end();
        else response.end(bytes);
      }),
    );
    return urls.join(',');
  }

  async #listen(answer: (url: string, response: ServerResponse) => void): Promise<string> {
    const server = createServer((request, response) => answer(request.url ?? '', response));
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
}

function add(counts: Map<string, number>, name: string, amount: number): void {
  counts.set(name, (counts.get(name) ?? 0) + amount);
}
