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

/** A text frame with a 64-bit length. */
function frameOf(text: string): Buffer {
  const head = Buffer.alloc(10);
  head.set([0x81, 127]);
  head.writeBigUInt64BE(BigInt(text.length), 2);
  return Buffer.concat([head, Buffer.from(text)]);
}
const notice = '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":"0x2"}}';

test('a connection that sends more than it was asked for is ended', async () => {
  const floods: readonly (readonly [string, Buffer])[] = [
    ['one long message', frameOf(`["${'0'.repeat(3_000_000)}"]`)],
    ['notifications', Buffer.concat(Array.from({ length: 40_000 }, () => frameOf(notice)))],
    ['answers to no call', frameOf(`{"jsonrpc":"2.0","id":99,"result":"${'0'.repeat(3_000_000)}"}`)],
  ];
  for (const [name, flood] of floods) {
    const { transport, sockets } = await transportTo((socket, connection) => {
      if (connection === 0) socket.write(flood);
      else socket.write(answer(2));
    });
    const lost = await transport.send([callOf(1)], none).catch((error: Error) => error);
    expect([name, lost]).toEqual([name, new AttemptFailure('failed', 'it sends more than it was asked for')]);
    expect((await transport.send([callOf(2)], none)).byId.get(2)).toMatchObject({ result: 'ok' });
    expect(sockets).toHaveLength(2);
  }
});

test('a message of very many values is not parsed', async () => {
  const { transport } = await transportTo((socket) => socket.write(frameOf(`[${'{},'.repeat(1_000_000)}{}]`)));
  await expect(transport.send([callOf(1)], none)).rejects.toThrow('the answer has more than 1000000 values');
});

test('a long answer and the usual notifications end no connection', async () => {
  const { transport, sockets } = await transportTo((socket) => {
    for (let i = 0; i < 2_000; i++) socket.write(frameOf(notice));
    socket.write(frameOf(`{"jsonrpc":"2.0","id":1,"result":"${'0'.repeat(10_000_000)}"}`));
  });
  const { byId } = await transport.send([callOf(1)], none);
  expect(String(byId.get(1)?.result)).toHaveLength(10_000_000);
  await after(50);
  expect([sockets.length, sockets[0]?.destroyed]).toEqual([1, false]);
});

test('a late answer to an aborted call ends no connection', async () => {
  const { transport, sockets } = await transportTo((socket) => {
    setTimeout(() => socket.write(frameOf(`{"jsonrpc":"2.0","id":1,"result":"${'0'.repeat(10_000_000)}"}`)), 100);
  });
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('another upstream was faster')), 20);
  await expect(transport.send([callOf(1)], stop.signal)).rejects.toThrow('faster');
  await after(400);
  expect(sockets[0]?.destroyed).toBe(false);
});
