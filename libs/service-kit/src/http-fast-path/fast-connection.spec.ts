// Connections that end, reset, pause or fail while requests wait.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { FastConnection } from './fast-connection.ts';
import type { FastAnswer, FastHandler, FastRequest } from './fast-request.ts';
import { HttpFastPath } from './http-fast-path.ts';

const post = (body: string, path = '/fast') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const answerOf = ({ body }: Pick<FastRequest, 'body'>): FastAnswer => ({
  status: 200,
  headers: {},
  body: `<${body.toString()}>`,
});

let server: Server;
let path: HttpFastPath;
/** Requests that wait, by their body. */
let waiting: Map<string, { readonly request: FastRequest; readonly finish: (answer: FastAnswer) => void }>;
const handler: FastHandler = {
  takes: (asked) => asked.startsWith('/fast'),
  answer(request) {
    const name = request.body.toString();
    if (name.startsWith('throws')) return { ...answerOf(request), onSent: fail };
    if (!name.startsWith('waits')) return answerOf(request);
    // Read before the request ends, so that an abort is noticed.
    const { signal } = request;
    return new Promise((resolve) => waiting.set(name, { request: { ...request, signal }, finish: resolve }));
  },
};
const fail = () => {
  throw new Error('a fault of the handler');
};
const reached = async (isReached: () => boolean) => {
  for (let tries = 0; tries < 300 && !isReached(); tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isReached()).toBe(true);
};

async function open(keepAliveMs = 60_000): Promise<Socket> {
  path = new HttpFastPath(server, { handler, keepAliveMs });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const socket = connect((server.address() as AddressInfo).port);
  await once(socket, 'connect');
  return socket;
}

beforeEach(() => {
  waiting = new Map();
  server = createServer();
});
afterEach(() => {
  path.destroy();
  server.close();
});

test.each(['destroy', 'resetAndDestroy', 'end'] as const)(
  'a request is aborted by %s of its client after a further request has arrived',
  async (how) => {
    const socket = await open();
    socket.write(post('waits'));
    await reached(() => waiting.size === 1);
    socket.write(post('next'));
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.resume()[how]();
    await reached(() => waiting.get('waits')?.request.signal.aborted === true);
    await reached(() => path.size === 0);
  },
);

test('a drain closes a connection with further requests, and one whose client reads slowly', async () => {
  const socket = await open();
  const slow = connect((server.address() as AddressInfo).port);
  await once(slow, 'connect');
  socket.write(post('waits 1'));
  slow.pause().write(post('waits 2'));
  await reached(() => waiting.size === 2);
  for (const one of [socket, slow]) one.write(post(`next${'x'.repeat(20_000)}`) + post('last'));
  waiting.get('waits 2')?.finish({ status: 200, headers: {}, body: Buffer.alloc(8_000_000) });
  await new Promise((resolve) => setTimeout(resolve, 30));
  path.drain();
  waiting.get('waits 1')?.finish({ status: 200, headers: {}, body: 'done' });
  const closed = Promise.all([socket, slow].map((one) => once(one, 'close')));
  const texts: string[] = [];
  socket.on('data', (chunk: Buffer) => texts.push(chunk.toString()));
  slow.resume();
  await closed;
  expect(texts.join('')).toMatch(/connection: close\r\n.*\r\n\r\ndone$/s);
  await reached(() => path.size === 0);
});

test('a fault while an answer is sent ends only its connection', async () => {
  const socket = await open();
  const other = connect((server.address() as AddressInfo).port);
  await once(other, 'connect');
  socket.write(post('throws'));
  other.write(post('works'));
  const [[bytes]] = await Promise.all([once(other, 'data'), once(socket.resume(), 'close')]);
  expect(String(bytes)).toContain('<works>');
  other.destroy();
});

test('a connection without traffic is closed after a request that took longer', async () => {
  const socket = await open(50);
  socket.resume().write(post('waits'));
  await reached(() => waiting.size === 1);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(path.size).toBe(1);
  waiting.get('waits')?.finish({ status: 200, headers: {}, body: 'done' });
  await once(socket, 'close');
});

test('requests whose client ends its side in the same turn are all answered', async () => {
  const sent: string[] = [];
  class EndingSocket extends Duplex {
    readonly remoteAddress = '127.0.0.1';
    setTimeout = () => this;
    override _read(): void {}
    override _write(chunk: Buffer, _encoding: string, done: () => void): void {
      sent.push(chunk.toString());
      done();
    }
  }
  const handed: string[] = [];
  for (const last of ['three', undefined]) {
    const socket = new EndingSocket({ allowHalfOpen: true });
    const handOver = (_socket: Socket, unread: Buffer) => handed.push(unread.toString());
    new FastConnection(socket as unknown as Socket, { handler, keepAliveMs: 1000, handOver, onClose: () => {} });
    const rest = last === undefined ? 'GET /fast HTTP/1.1\r\nHost: a\r\n\r\n' : post(last);
    socket.push(post('one') + post('two') + rest);
    socket.push(null);
    await once(socket, 'finish');
  }
  const bodies = sent.join('').match(/<\w+>/g);
  expect(bodies).toEqual(['<one>', '<two>', '<three>', '<one>', '<two>']);
  // The client has ended its side, so a request that is not plain gets no response.
  expect(handed).toEqual([]);
});
