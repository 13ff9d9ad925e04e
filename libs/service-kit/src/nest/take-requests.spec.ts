import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { RawHttp } from '../raw-http.ts';
import { type TakenRequests, takeRequests } from './take-requests.ts';

/** Responses under way, oldest first. A test ends them in the order that it chooses. */
let answers: (() => void)[];
let asked: string[];
let server: Server;
let taken: TakenRequests;
let port: number;
let sockets: Socket[] = [];

beforeEach(async () => {
  answers = [];
  asked = [];
  const raw: RawHttp = {
    handleRequest(request, response) {
      asked.push(request.url ?? '');
      request.resume();
      answers.push(() => response.end(`answer to ${request.url};`));
      return true;
    },
    handleUpgrade(_request, socket) {
      socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nupgraded;');
      return true;
    },
  };
  server = createServer();
  const state = { isDraining: false, isLingering: false };
  taken = takeRequests({ server, raw, state, dependencies: () => [], isTls: false, connectionsMax: 3 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  server.close();
  server.closeAllConnections();
});

/** Sends bytes in one piece, given as Latin-1. Resolves with all received bytes when the server has closed the connection. */
function exchange(text: string): { readonly answer: Promise<string>; destroy(): void } {
  const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
  sockets.push(socket);
  let received = '';
  const answer = new Promise<string>((resolve, reject) => {
    socket.setEncoding('latin1').on('data', (part: string) => {
      received += part;
    });
    socket.on('close', () => resolve(received)).on('error', reject);
  });
  return { answer, destroy: () => socket.destroy() };
}

async function eventually(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !isSo(); tries++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isSo()).toBe(true);
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`;
const upgrade = 'GET /up HTTP/1.1\r\nhost: here\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';

test('an upgrade behind two pipelined requests is answered after both', async () => {
  const { answer } = exchange(get('/one') + get('/two') + upgrade);
  await eventually(() => answers.length === 2);
  // The second response is ready first and waits for the first one; the upgrade waits for both.
  answers[1]?.();
  await new Promise((resolve) => setTimeout(resolve, 20));
  answers[0]?.();
  const text = await answer;
  expect(text.match(/answer to \/one|answer to \/two|upgraded/g)).toEqual([
    'answer to /one',
    'answer to /two',
    'upgraded',
  ]);
});

test('an upgrade without an earlier request is answered', async () => {
  expect(await exchange(upgrade).answer).toContain('101 Switching Protocols\r\n\r\nupgraded;');
});

/** A request as the HTTP client of Java sends it to a server that it does not know yet. */
const offering = (path: string, connection = 'Upgrade, HTTP2-Settings') =>
  `POST ${path} HTTP/1.1\r\nConnection: ${connection}\r\nContent-Length: 4\r\nHost: here\r\nHTTP2-Settings: AAEAAEAA\r\nUpgrade: h2c\r\n\r\nbody`;

test('an offer of another protocol than WebSocket is ignored, and the connection serves further requests', async () => {
  const { answer } = exchange(
    offering('/one') + offering('/two') + get('/three') + offering('/four', 'upgrade, close'),
  );
  for (let count = 1; count <= 4; count++) {
    await eventually(() => answers.length >= count);
    answers[count - 1]?.();
  }
  const text = await answer;
  expect(text.match(/HTTP\/1\.1 \d+|answer to \/\w+/g)).toEqual(
    ['one', 'two', 'three', 'four'].flatMap((path) => ['HTTP/1.1 200', `answer to /${path}`]),
  );
  expect(asked).toEqual(['/one', '/two', '/three', '/four']);
});

test('an upgrade is dropped when its client closes the connection before the earlier responses', async () => {
  const { answer, destroy } = exchange(get('/one') + upgrade);
  await eventually(() => answers.length === 1);
  destroy();
  await answer;
  answers[0]?.();
});

test('requests are in flight until their response or their connection ends, without those of health', async () => {
  await exchange('GET /livez HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n').answer;
  expect(taken.inFlight).toBe(0);
  const one = exchange(get('/one'));
  const two = exchange(get('/two'));
  await eventually(() => taken.inFlight === 2);
  answers[0]?.();
  await eventually(() => taken.inFlight === 1);
  for (const { destroy } of [one, two]) destroy();
  await eventually(() => taken.inFlight === 0);
});

test('a target in absolute form is served as its path', async () => {
  const { answer, destroy } = exchange('GET http://there.example/one?a HTTP/1.1\r\nhost: here\r\n\r\n');
  await eventually(() => asked.length === 1);
  expect(asked).toEqual(['/one?a']);
  destroy();
  await answer.catch(() => '');
});

test.each([
  ['a broken head', 'nonsense', '400 Bad Request'],
  [
    'a head beyond the limit',
    `GET / HTTP/1.1\r\nx-long: ${'x'.repeat(17_000)}\r\n`,
    '431 Request Header Fields Too Large',
  ],
])('%s gets its status as a text', async (_, sent, status) => {
  const [head, body] = (await exchange(`${sent}\r\n\r\n`).answer).split('\r\n\r\n');
  expect([head?.split('\r\n')[0], body]).toEqual([`HTTP/1.1 ${status}`, status]);
  expect(head).toContain(`content-length: ${status.length}`);
});

test('a target with bytes outside ASCII gets the advice to percent-encode it', async () => {
  const text = await exchange(Buffer.from(get('/ü')).toString('latin1')).answer;
  const [head, body] = text.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(body).toBe(
    '400 Bad Request: the URL of the request has a character that is not allowed; percent-encode it, such as %C3%BC for U+00FC',
  );
  expect(head).toContain(`content-length: ${body?.length}`);
});

for (const name of ['host', 'Host', 'Authorization'])
  test(`a request with two ${name} fields gets 400`, async () => {
    const fields = `host: here\r\nauthorization: Basic YQ==\r\n${name}: there\r\n`;
    const text = await exchange(`GET /one HTTP/1.1\r\n${fields}\r\n`).answer;
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(text).toContain('connection: close');
    expect(asked).toEqual([]);
  });

test('an upgrade with two Host fields gets 400', async () => {
  const text = await exchange(upgrade.replace('host: here', 'host: here\r\nhost: there')).answer;
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
});

test('connections beyond the limit of the service are closed', async () => {
  const open = [0, 1, 2].map(() => exchange(''));
  await eventually(() => sockets.every(({ connecting }) => !connecting));
  expect(await exchange(upgrade).answer.catch(() => '')).toBe('');
  for (const { destroy } of open) destroy();
});
