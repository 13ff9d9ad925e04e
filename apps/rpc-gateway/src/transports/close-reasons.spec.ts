import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { type CloseReason, closeFor, closeOf, closeReasons, ReasonedWebSocket } from './close-reasons.ts';
import { TransportError } from './transport-error.ts';

let server: WebSocketServer;
beforeAll(async () => {
  server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    WebSocket: ReasonedWebSocket,
    maxPayload: 1_000,
    maxFragments: 8,
  });
  await once(server, 'listening');
});
afterAll(() => void server.close());

async function connect(): Promise<{ client: WebSocket; socket: ReasonedWebSocket; closed: Promise<unknown[]> }> {
  const accepted = once(server, 'connection');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [socket] = (await accepted) as [ReasonedWebSocket];
  await once(client, 'open');
  socket.on('error', () => {});
  const closed = new Promise<unknown[]>((resolve) =>
    client.once('close', (code, reason) => resolve([code, String(reason)])),
  );
  return { client, socket, closed };
}

const closeFrame = ({ code, reason }: { readonly code: number; readonly reason: string }) => [code, reason];

test.each(Object.keys(closeReasons) as CloseReason[])('a client gets the code and the reason of %s', async (name) => {
  const { socket, closed } = await connect();
  closeFor(socket, name);
  expect(await closed).toEqual(closeFrame(closeReasons[name]));
});

test.each<[CloseReason, (client: WebSocket) => void]>([
  // A frame with the reserved opcode 3, and an empty mask.
  ['frameInvalid', (client) => void rawSocketOf(client).write(Uint8Array.of(0x83, 0x80, 0, 0, 0, 0))],
  ['textInvalid', (client) => client.send(Uint8Array.of(0xff), { binary: false })],
  ['messageTooLong', (client) => client.send(' '.repeat(1_001))],
  [
    'fragmentsTooMany',
    (client) => {
      for (let piece = 0; piece < 10; piece++) client.send(' ', { fin: false });
    },
  ],
])('a message of a client that causes %s gets the reason, too', async (name, send) => {
  const { client, closed } = await connect();
  send(client);
  expect(await closed).toEqual(closeFrame(closeReasons[name]));
});

/** The TCP connection of a client. */
function rawSocketOf(client: WebSocket): NodeJS.WritableStream {
  return (client as unknown as { readonly _socket: NodeJS.WritableStream })._socket;
}

test.each<[number, 'notFound' | 'forbidden' | 'limit' | 'internal', CloseReason]>([
  [401, 'notFound', 'keyInvalid'],
  [403, 'notFound', 'accountSuspended'],
  [403, 'forbidden', 'notAllowed'],
  [429, 'limit', 'keyUnchecked'],
  [503, 'internal', 'keyUnchecked'],
])('status %d with the error %s closes with %s', (status, name, reason) => {
  expect(closeOf(new TransportError({ status, name, message: 'planted' }))).toBe(reason);
});

test('an unknown error closes with internal', () => {
  expect(closeOf(new Error('planted'))).toBe('internal');
});

test('README.md lists each code and reason', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| (1\d{3}) \| (.+?) +\|/gm)].map(([, code, reason]) => `${code} ${reason}`);
  expect(rows).toEqual(Object.values(closeReasons).map(({ code, reason }) => `${code} ${reason}`));
});
