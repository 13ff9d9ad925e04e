import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { freePort } from './free-port.mjs';

test('a free port can be used and is returned again only after the others', async () => {
  const ports = new Set();
  for (let count = 0; count < 32; count++) ports.add(await freePort());
  assert.equal(ports.size, 32);
  const [port] = ports;
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const later = new Set();
  for (let count = 0; count < 128; count++) later.add(await freePort());
  assert.equal(later.has(port), false, 'a port in use was returned');
  server.close();
});

test('outgoing connections take no free port', async () => {
  const server = createServer().listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const sockets = Array.from({ length: 200 }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const lowest = Math.min(...sockets.map(({ localPort }) => localPort));
  for (const socket of sockets) socket.destroy();
  server.close();
  for (let count = 0; count < 64; count++) assert.ok((await freePort()) < lowest);
});
