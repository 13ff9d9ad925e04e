import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { serveTunnels } from './tunnels.ts';

const tunnel = 'CONNECT content.example:80 HTTP/1.1\r\nHost: content.example:80\r\n\r\n';
const page = 'GET / HTTP/1.1\r\nHost: content.example\r\nConnection: close\r\n\r\n';
let server: Server;
let served: Socket[];

beforeEach(async () => {
  served = [];
  server = createServer((_, response) => response.end('page'));
  server.on('connection', (socket) => served.push(socket));
  serveTunnels(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => new Promise((resolve) => server.close(resolve)));

/** Sends the next part each time bytes arrive, and resolves with everything that arrives until the end. */
function exchange(...parts: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    let sent = 0;
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const send = () => sent < parts.length && socket.write(String(parts[sent++]));
    socket.setEncoding('latin1').on('data', (text) => {
      received += text;
      send();
    });
    socket
      .on('connect', send)
      .on('error', reject)
      .on('end', () => socket.end());
    socket.on('close', () => resolve(received));
  });
}

test('a tunnel serves the content of the gateway', async () => {
  expect(await exchange(tunnel, page)).toMatch(
    /^HTTP\/1.1 200 Connection Established\r\n\r\nHTTP\/1.1 200 OK\r\n.*page$/s,
  );
  expect(await exchange(tunnel + page)).toMatch(/Established\r\n\r\nHTTP\/1.1 200 OK\r\n.*page$/s);
});

test.each([
  ['after its response', [tunnel, tunnel, tunnel, page]],
  ['in the same bytes', [tunnel + tunnel + tunnel + page]],
])('a tunnel in a tunnel, sent %s, gets 405 and ends the connection', async (_, parts) => {
  const received = await exchange(...parts);
  expect(received).toMatch(/^HTTP\/1.1 200 Connection Established\r\n\r\nHTTP\/1.1 405 Method Not Allowed\r\n/);
  expect(received.match(/HTTP\/1.1/g)).toHaveLength(2);
  // One connection of a client adds its listeners once.
  expect(new Set(served).size).toBe(1);
  expect(served).toHaveLength(2);
});
