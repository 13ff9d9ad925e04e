import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { parseUpstreamUrl } from './address.ts';
import { AttemptFailure } from './errors.ts';
import { upstreamLimits } from './limits.ts';
import { WebSocketRpcTransport } from './web-socket-rpc-transport.ts';

const servers: Server[] = [];
const transports: WebSocketRpcTransport[] = [];
afterEach(async () => {
  for (const transport of transports.splice(0)) await transport.close();
  for (const server of servers.splice(0)) server.close();
});

/** A server that accepts WebSockets, then leaves each connection and its frames to `serve`. It never closes a connection. */
async function transportTo(serve: (socket: Socket, connection: number, data: Buffer) => void, attemptMs = 5000) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const connection = sockets.push(socket) - 1;
    socket.on('error', () => {});
    socket.once('data', (head) => {
      const key = /^sec-websocket-key: (.*)\r$/im.exec(head.toString())?.[1] ?? '';
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      socket.on('data', (data) => serve(socket, connection, data));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let closes = 0;
  const transport = new WebSocketRpcTransport(
    parseUpstreamUrl(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`),
    { ...upstreamLimits, attemptMs },
    { onNotification: () => {}, onClose: () => closes++ },
  );
  transports.push(transport);
  return { transport, sockets, closes: () => closes };
}

const callOf = (id: number) => ({ id, text: `{"jsonrpc":"2.0","id":${id},"method":"eth_read","params":[]}` });
const answer = (id: number) => {
  const text = Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":"ok"}`);
  return Buffer.concat([Buffer.of(0x81, text.length), text]);
};
const none = new AbortController().signal;
const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('the connection after an invalid frame is kept when the first one closes', async () => {
  const { transport, sockets, closes } = await transportTo((socket, connection) => {
    // Reserved bits; the connection then stays open until the client ends it.
    if (connection === 0) socket.write(Buffer.of(0xf1, 0));
    else if (connection === 1) setTimeout(() => socket.write(answer(2)), 200);
  });
  await expect(transport.send([callOf(1)], none)).rejects.toThrow(AttemptFailure);
  const second = transport.send([callOf(2)], none);
  await after(50);
  sockets[0]?.destroy();
  expect((await second).byId.get(2)).toMatchObject({ result: 'ok' });
  await after(50);
  expect([sockets.length, sockets[0]?.destroyed, closes()]).toEqual([2, true, 1]);
});

test('a connection that answers neither calls nor pings is replaced', async () => {
  const { transport, sockets } = await transportTo((socket, connection) => {
    if (connection === 1) socket.write(answer(2));
  }, 100);
  const timeout = new AbortController();
  setTimeout(() => timeout.abort(new AttemptFailure('failed', 'timeout')), 100);
  await expect(transport.send([callOf(1)], timeout.signal)).rejects.toThrow('timeout');
  await after(300);
  const answers = await Promise.race([transport.send([callOf(2)], none), after(2000)]);
  expect(answers).toMatchObject({ byId: new Map([[2, expect.objectContaining({ result: 'ok' })]]) });
  expect(sockets).toHaveLength(2);
});

test('a slow connection that answers pings is kept', async () => {
  const { transport, sockets } = await transportTo((socket, _, data) => {
    if (((data[0] as number) & 15) === 9) socket.write(Buffer.of(0x8a, 0));
    else setTimeout(() => socket.write(answer(2)), 300);
  }, 50);
  const timeout = new AbortController();
  setTimeout(() => timeout.abort(new AttemptFailure('failed', 'timeout')), 20);
  await expect(transport.send([callOf(1)], timeout.signal)).rejects.toThrow('timeout');
  await after(200);
  expect((await transport.send([callOf(2)], none)).byId.get(2)).toMatchObject({ result: 'ok' });
  expect(sockets).toHaveLength(1);
});
