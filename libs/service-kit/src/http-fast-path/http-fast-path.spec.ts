import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { answerBytes, type FastAnswer, type FastHandler, type FastRequest } from './fast-request.ts';
import { HttpFastPath } from './http-fast-path.ts';

/** Echoes the parsed request and the path that it took: fast or full. */
const echo = (path: string, body: string) => JSON.stringify({ path, body });
let plainAnswers = 0;
let aborted: Promise<void>;
const handler: FastHandler = {
  takes: (path) => path.startsWith('/v3/'),
  answer(request) {
    plainAnswers++;
    if (request.path === '/v3/leaves') return undefined;
    return request.path === '/v3/now' ? answerOf(request) : answerLater(request);
  },
};

async function answerLater({ path, body, signal }: FastRequest): Promise<FastAnswer | undefined> {
  if (path === '/v3/waits') {
    aborted = new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    await aborted;
  }
  if (path === '/v3/fails') throw new Error('a fault of the handler');
  if (path === '/v3/long') return { status: 200, headers: {}, body: 'ä'.repeat(4_000_000) };
  await new Promise((resolve) => setTimeout(resolve, 1));
  return path === '/v3/leaves-later' ? undefined : answerOf({ path, body });
}

function answerOf({ path, body }: Pick<FastRequest, 'path' | 'body'>): FastAnswer {
  const text = body.toString();
  return { status: text === '' ? 204 : 200, headers: { 'x-a': '1' }, body: text === '' ? '' : echo(path, text) };
}

function fullServer(): Server {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      response.setHeader('x-a', '1');
      if (request.method !== 'POST') return response.writeHead(405, { 'content-length': 2 }).end('no');
      if (text === '') return response.writeHead(204).end();
      const answer = echo(request.url ?? '', text);
      return response.writeHead(200, { 'content-length': Buffer.byteLength(answer) }).end(answer);
    });
  });
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
  return server;
}

const listening = (server: Server) =>
  new Promise<number>((resolve) => server.listen(0, () => resolve((server.address() as AddressInfo).port)));

let servers: Server[];
let ports: [number, number];
let lane: HttpFastPath;
let finish: () => void;
beforeAll(async () => {
  servers = [fullServer(), fullServer()];
  lane = new HttpFastPath(servers[1] as Server, { handler, keepAliveMs: 2000 });
  ports = (await Promise.all(servers.map(listening))) as [number, number];
});
afterAll(() => {
  lane.destroy();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

/** A server counts a connection as closed a little before the connection emits it. */
async function forgotten(emptied: HttpFastPath): Promise<void> {
  for (let tries = 0; tries < 100 && emptied.size > 0; tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(emptied.size).toBe(0);
}

/** Sends pieces one after the other. Resolves with all received bytes when the server has ended. */
function exchange(port: number, pieces: readonly Buffer[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port);
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(received).toString('latin1')));
    const send = (index: number) => {
      const piece = pieces[index];
      if (piece === undefined) return;
      socket.write(piece);
      setImmediate(send, index + 1);
    };
    send(0);
  });
}

/** Statuses and bodies, without dates and the order of fields. */
function essence(answers: string): readonly unknown[] {
  const found: unknown[] = [];
  let rest = answers;
  while (rest !== '') {
    const [, status, fields = ''] = /^HTTP\/1\.1 (\d{3}) .*\r\n((?:.+\r\n)*)\r\n/.exec(rest) ?? [];
    if (status === undefined) throw new Error(`no answer: ${JSON.stringify(rest.slice(0, 200))}`);
    rest = rest.slice(rest.indexOf('\r\n\r\n') + 4);
    const length = Number(/content-length: (\d+)/i.exec(fields)?.[1] ?? 0);
    const isChunked = /transfer-encoding: chunked/i.test(fields);
    found.push([status, isChunked ? 'chunks' : rest.slice(0, length), /connection: (\S+)/i.exec(fields)?.[1]]);
    rest = isChunked ? rest.slice(rest.indexOf('0\r\n\r\n') + 5) : rest.slice(length);
  }
  return found;
}

const post = (path: string, body: string, fields = '') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${fields}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const chunked = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

describe('compared with the full parser', () => {
  const body = fc.stringMatching(/^[a-zé{}"]{0,40}$/);
  const path = fc.constantFrom('/v3/key', '/v3/other?x=1', '/v3/now', '/v3/leaves', '/v3/leaves-later', '/else');
  const request = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(path, body).map(([to, text]) => post(to, text)) },
    { weight: 1, arbitrary: fc.tuple(path, fc.stringMatching(/^[a-z]{1,9}$/)).map(([to, text]) => chunked(to, text)) },
    { weight: 1, arbitrary: fc.constant('GET /v3/key HTTP/1.1\r\nHost: a\r\n\r\n') },
  );
  const last = fc.oneof(
    fc.tuple(path, body).map(([to, text]) => post(to, text, 'Connection: close\r\n')),
    fc.constant('GET /v3/key HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
  );
  // Makes the full parser give up; it may do so before it has answered earlier requests.
  const odd = fc.oneof(
    fc.constantFrom('nonsense\r\n\r\n', 'POST /v3/key HTTP/1.1\r\nHost : a\r\nContent-Length: 1\r\n\r\na'),
    fc.constant('GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    fc.tuple(path, body).map(([to, text]) => post(to, text, 'Content-Length: 300\r\n')),
  );
  const cuts = fc.array(fc.nat(), { maxLength: 6 });

  async function expectTheSame(requests: readonly string[], places: readonly number[]): Promise<void> {
    const bytes = Buffer.from(requests.join(''));
    const at = [0, ...places.map((place) => place % bytes.length).sort((a, b) => a - b), bytes.length];
    const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
    const [full, plain] = await Promise.all(ports.map((port) => exchange(port, pieces)));
    expect(essence(plain ?? '')).toEqual(essence(full ?? ''));
  }

  test('gives the same responses in the same order, in whatever pieces requests arrive', async () => {
    const before = plainAnswers;
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 5 }), last, cuts, (requests, end, places) =>
        expectTheSame([...requests, end], places),
      ),
      { numRuns: 300 },
    );
    expect(plainAnswers).toBeGreaterThan(before + 50);
  });

  test('refuses the same requests in the same way', async () => {
    await fc.assert(
      fc.asyncProperty(odd, cuts, (request, places) => expectTheSame([request], places)),
      { numRuns: 100 },
    );
  });
});

test('serves a target with characters that are not percent-encoded, after plain requests too', async () => {
  const raw = post('/else/ü?a=日', 'body ü');
  const text = await exchange(ports[1], [Buffer.from(post('/v3/key', 'plain')), Buffer.from(raw)]);
  expect(essence(text)).toEqual([
    ['200', echo('/v3/key', 'plain'), 'keep-alive'],
    ['200', Buffer.from(echo('/else/%C3%BC?a=%E6%97%A5', 'body ü')).toString('latin1'), 'close'],
  ]);
});

test('answers requests that arrive together before it sends the first answer, and each connection in order', async () => {
  const server = fullServer();
  const steps: string[] = [];
  const batching = new HttpFastPath(server, {
    keepAliveMs: 2000,
    handler: {
      takes: () => true,
      answer(request) {
        const text = request.body.toString();
        steps.push(`answer ${text}`);
        return { ...answerOf(request), onSent: (isSent) => steps.push(`send ${text} ${isSent}`) };
      },
    },
  });
  const port = await listening(server);
  const clients = [connect(port), connect(port), connect(port)] as const;
  await Promise.all(clients.map((client) => once(client, 'connect')));
  for (let tries = 0; tries < 100 && batching.size < 3; tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const ended = Promise.all(clients.map((client) => new Promise((resolve) => client.resume().once('close', resolve))));
  // Written in one turn, so that the server receives all of them in one.
  clients[0].write(post('/v3/now', 'a1') + post('/v3/now', 'a2'));
  clients[1].write(post('/v3/now', 'b1'));
  clients[2].write(post('/v3/now', 'c1'));
  for (let tries = 0; tries < 100 && steps.length < 8; tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(steps.slice(0, 3).sort()).toEqual(['answer a1', 'answer b1', 'answer c1']);
  expect(steps.slice(3, 6).sort()).toEqual(['send a1 true', 'send b1 true', 'send c1 true']);
  expect(steps.slice(6)).toEqual(['answer a2', 'send a2 true']);
  batching.drain();
  server.close();
  await ended;
});

test('answers a client that ends its side with its last request', async () => {
  const socket = connect(ports[1]);
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  socket.end(post('/v3/now', 'a'));
  await once(socket, 'close');
  expect(essence(Buffer.concat(received).toString())).toEqual([['200', echo('/v3/now', 'a'), 'keep-alive']]);
});

test('aborts the signal of a request whose client closes the connection', async () => {
  const socket = connect(ports[1]);
  socket.write(post('/v3/waits', 'a'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(lane.inFlight).toBe(1);
  socket.destroy();
  await aborted;
  await forgotten(lane);
  expect(lane.inFlight).toBe(0);
});

test('ends only the connection whose handler fails', async () => {
  expect(await exchange(ports[1], [Buffer.from(post('/v3/fails', 'a'))])).toBe('');
  expect(await exchange(ports[1], [Buffer.from(post('/v3/key', 'a', 'Connection: close\r\n'))])).toContain('200 OK');
});

test('sends a long response to a slow reader completely, and the next one after it', async () => {
  const answers = await new Promise<string>((resolve) => {
    const socket = connect(ports[1]);
    const received: Buffer[] = [];
    socket.pause();
    socket.write(post('/v3/long', 'a') + post('/v3/key', 'b', 'Connection: close\r\n'));
    setTimeout(() => socket.resume(), 100);
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(received).toString()));
  });
  expect(answers).toContain('content-length: 8000000');
  expect(answers.slice(-200)).toContain(echo('/v3/key', 'b'));
});

test('closes a connection without traffic', async () => {
  const server = fullServer();
  const short = new HttpFastPath(server, { handler, keepAliveMs: 50 });
  const socket = connect(await listening(server)).resume();
  await new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => server.close(resolve));
  await forgotten(short);
});

test('a drain answers requests under way, announces the end, and closes the rest', async () => {
  const server = fullServer();
  const asked = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const draining = new HttpFastPath(server, {
    keepAliveMs: 2000,
    handler: {
      takes: () => true,
      async answer() {
        finish();
        await new Promise((resolve) => setTimeout(resolve, 50));
        return { status: 200, headers: {}, body: 'é' };
      },
    },
  });
  const port = await listening(server);
  const idle = connect(port);
  await once(idle, 'connect');
  const idleEnded = new Promise((resolve) => idle.resume().once('close', resolve));
  const answered = exchange(port, [Buffer.from(post('/v3/key', 'a'))]);
  await asked;
  draining.drain();
  const closed = new Promise((resolve) => server.close(resolve));
  expect(essence(await answered)).toMatchObject([['200', '\u00c3\u00a9', 'close']]);
  await Promise.all([idleEnded, closed]);
  await forgotten(draining);
});

test.each([
  ['some text', '9\r\nsome text\r\n0\r\n\r\n'],
  ['', '0\r\n\r\n'],
])('a response with a trailer has its body %j in one chunk', (body, framed) => {
  const answer = { status: 200, headers: { 'x-a': '1' }, body: Buffer.from(body), trailer: 'X-Error' };
  const [head, ...rest] = answerBytes(answer, { keepsAlive: true, keepAliveSeconds: 1 }).toString().split('\r\n\r\n');
  expect(head).toMatch(/\r\ntrailer: X-Error\r\ntransfer-encoding: chunked$/);
  expect(head).not.toContain('content-length');
  expect(rest.join('\r\n\r\n')).toBe(framed);
});
