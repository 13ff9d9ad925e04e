import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RoutingServer } from './routing-server.ts';

/** Serves on a free loopback port. */
export async function serveHttp(handle: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => {
    Promise.resolve(handle(request, response)).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export async function readBody(request: IncomingMessage, bytesMax = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > bytesMax) throw new Error('The body is too large.');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Serves a routing server over HTTP. */
export function serveRouting(routing: RoutingServer) {
  return serveHttp(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const body = (bytesMax: number) => readBody(request, bytesMax);
    const answer = await routing.handle({ method, target: url, headers, body });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
}
