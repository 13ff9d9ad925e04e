import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import '@cairn/bitswap/libp2p';
import { afterEach, expect, test } from '@jest/globals';
import type { Libp2p } from '@libp2p/interface';
import { boundHandshakes, PendingHosts } from './bound-handshakes.ts';
import { boundWebSockets } from './bound-web-sockets.ts';

const limits = { connectionsMax: 20, webSocketMessageBytesMax: 1024 * 1024, webSocketUpgradeMs: 60_000 };
const nodes: Libp2p[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

async function open(
  changed: Partial<typeof limits> = {},
  hosts = new PendingHosts(),
  transport?: ReturnType<typeof boundHandshakes<never>>,
  address = '/ip4/127.0.0.1/tcp/0/ws',
) {
  // Loaded after the shim in @cairn/bitswap/libp2p, as in createNode.
  const { createLibp2p } = await import('libp2p');
  const { noise } = await import('@libp2p/noise');
  const { webSockets } = await import('@libp2p/websockets');
  const { yamux } = await import('@libp2p/yamux');
  const node = await createLibp2p({
    addresses: { listen: [address] },
    transports: [
      transport ?? boundHandshakes(boundWebSockets(webSockets(), hosts, { ...limits, ...changed }), hosts),
    ] as never,
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionGater: { denyDialMultiaddr: () => false },
  });
  nodes.push(node);
  return node;
}

const addressOf = (node: Libp2p) => node.getMultiaddrs()[0] as ReturnType<Libp2p['getMultiaddrs']>[number];

async function openSocket(node: Libp2p): Promise<Socket> {
  const port = /tcp\/(\d+)/.exec(addressOf(node).toString())?.[1];
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  sockets.push(socket);
  // A refused connection may be reset before it is reported as open.
  await once(socket, 'connect').catch(() => {});
  return socket;
}

/** Opens a socket that is a WebSocket, without a handshake of libp2p. */
async function openWebSocket(node: Libp2p): Promise<Socket> {
  const socket = await openSocket(node);
  const key = randomBytes(16).toString('base64');
  const heads = ['Host: x', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  socket.write(['GET / HTTP/1.1', ...heads, `Sec-WebSocket-Key: ${key}`, '', ''].join('\r\n'));
  expect(`${(await once(socket, 'data'))[0]}`).toContain('101 Switching Protocols');
  return socket;
}

const isEnded = (socket: Socket) =>
  new Promise<boolean>((resolve) => {
    if (socket.closed) resolve(true);
    socket.resume().once('close', () => resolve(true));
    setTimeout(() => resolve(false), 3000).unref();
  });

test('nodes connect over WebSocket, also where Node has no global WebSocket', async () => {
  const [one, other] = [await open(), await open()];
  const connection = await one.dial(addressOf(other));
  expect(connection.remotePeer.equals(other.peerId)).toBe(true);
  expect(connection.remoteAddr.toString()).toContain('/ws');
});

test('an invalid frame of a stranger ends its connection only', async () => {
  const node = await open();
  const socket = await openWebSocket(node);
  const ended = isEnded(socket);
  socket.write(Uint8Array.of(0xf2, 0x80, 0, 0, 0, 0));
  expect(await ended).toBe(true);
  expect((await (await open()).dial(addressOf(node))).status).toBe('open');
});

test('a long message is refused at its head', async () => {
  const socket = await openWebSocket(await open());
  const answer = once(socket, 'data');
  const head = Buffer.alloc(14);
  head.set([0x82, 0xff]);
  head.writeBigUInt64BE(99n * 1024n * 1024n, 2);
  socket.write(head);
  // A close frame with the code "message too big".
  expect([...((await answer)[0] as Buffer)]).toEqual([0x88, 2, ...[1009 >> 8, 1009 & 0xff]]);
});

test.each([
  ['no request', ''],
  ['an unfinished request', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ['a request for a page', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
])('a socket with %s is ended after a while', async (_, text) => {
  const node = await open({ webSocketUpgradeMs: 300 });
  const socket = await openSocket(node);
  socket.write(text);
  expect(await isEnded(socket)).toBe(true);
});

test('a WebSocket with a handshake stays open', async () => {
  const [one, other] = [await open(), await open({ webSocketUpgradeMs: 200 })];
  const connection = await one.dial(addressOf(other));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(connection.status).toBe('open');
});

test.each([
  ['sockets', openSocket],
  ['WebSockets', openWebSocket],
])('a host has a bounded number of %s without a handshake, and others when these end', async (_, openOne) => {
  const node = await open({}, new PendingHosts(2));
  const first = [await openOne(node), await openOne(node)];
  expect(await isEnded(await openSocket(node))).toBe(true);
  for (const socket of first) socket.destroy();
  const other = await open();
  const dialled = async () => {
    for (;;) {
      try {
        return await other.dial(addressOf(node));
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  expect((await dialled()).status).toBe('open');
});

test('a host has a bounded number of TCP connections without a handshake', async () => {
  const { tcp } = await import('@libp2p/tcp');
  const hosts = new PendingHosts(2);
  const node = await open({}, hosts, boundHandshakes(tcp(), hosts), '/ip4/127.0.0.1/tcp/0');
  const first = [await openSocket(node), await openSocket(node)];
  expect(await isEnded(await openSocket(node))).toBe(true);
  expect(first.map(({ destroyed }) => destroyed)).toEqual([false, false]);
});

test('the number of sockets is bounded', async () => {
  const node = await open({ connectionsMax: 2 });
  for (let count = 0; count < 4; count++) await openWebSocket(node);
  expect(await isEnded(await openSocket(node))).toBe(true);
});

test('an aborted connection ends its socket', async () => {
  const [one, other] = [await open(), await open()];
  const connection = await one.dial(addressOf(other));
  const ended = new Promise((resolve) => connection.addEventListener('close', () => resolve(true)));
  while (other.getConnections().length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  other.getConnections()[0]?.abort(new Error('no longer wanted'));
  expect(await ended).toBe(true);
});

test('a node stops while sockets without a request are open', async () => {
  const node = await open();
  const socket = await openSocket(node);
  await node.stop();
  expect(await isEnded(socket)).toBe(true);
});
