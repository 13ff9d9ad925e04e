import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { announceEarlyAnswer, discardBody, type EarlyAnswerLimits } from './early-answer.ts';

const MiB = 1024 * 1024;
let server: Server;

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Refuses each request after the first bytes of its body. */
async function refusing(
  limits?: EarlyAnswerLimits,
): Promise<{ readonly port: number; readonly seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  server = createServer((request, response) => {
    seen.push(request);
    request.once('data', () => {
      announceEarlyAnswer(request, response);
      response.writeHead(403).end('no room');
      discardBody(request, limits);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, seen };
}

/** A client that, like a browser, reads only after it has sent everything or can send no more. */
async function sendThenRead(port: number, bytes: number): Promise<{ text: string; sent: number; socket: Socket }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  let sent = 0;
  let failed = false;
  const closed = new Promise<void>((resolve) => {
    socket.once('error', () => {
      failed = true;
      resolve();
    });
  });
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n`);
  const chunk = Buffer.alloc(64 * 1024);
  while (sent < bytes && !failed) {
    sent += chunk.length;
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
  }
  const parts: Buffer[] = [];
  if (!failed) {
    socket.on('data', (part: Buffer) => parts.push(part));
    socket.resume();
    while (!Buffer.concat(parts).includes('no room')) await once(socket, 'data');
  }
  return { text: Buffer.concat(parts).toString(), sent, socket };
}

test('a client that reads after it has sent everything gets its response and may send another request', async () => {
  const { port, seen } = await refusing();
  const { text, socket } = await sendThenRead(port, 8 * MiB);
  expect(text).toMatch(/^HTTP\/1\.1 403/);
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\nx');
  await once(socket, 'data');
  expect(seen).toHaveLength(2);
  socket.destroy();
});

test('a body beyond the byte limit is not received any further', async () => {
  const { port, seen } = await refusing({ bytesMax: 2 * MiB, timeMsMax: 60_000, lingerMs: 50 });
  const { sent } = await sendThenRead(port, 512 * MiB);
  // Bytes in buffers of the system count as sent before they are received.
  expect(sent).toBeLessThan(64 * MiB);
  expect(seen[0]?.socket.bytesRead).toBeLessThan(8 * MiB);
});

test('a body that exceeds the time limit is not received any further', async () => {
  const { port } = await refusing({ bytesMax: 1024 * MiB, timeMsMax: 50, lingerMs: 50 });
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nx');
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  await once(socket, 'close');
  expect(Buffer.concat(parts).toString()).toMatch(/^HTTP\/1\.1 403[\s\S]*no room/);
});
