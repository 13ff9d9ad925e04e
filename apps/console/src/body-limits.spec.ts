import { createServer, type Server, request as send } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { AuthError } from '@cairn/auth';
import { isCairnError } from '@cairn/errors';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { BodyLimits, bytesMaxOf } from './body-limits.ts';

let server: Server;
let limits: BodyLimits;
let port: number;
/** Lengths of the accepted bodies. */
let bodies: number[];

beforeEach(async () => {
  bodies = [];
  const entrance = {
    enter: () => Promise.reject(new AuthError('SESSION_INVALID', 'You are not signed in.')),
  };
  limits = new BodyLimits(entrance, { heldBytesMax: 100_000, bodyMsMax: 200 });
  server = createServer((request, response) => {
    limits.check(request, response, (error) => {
      if (error !== undefined) {
        request.resume();
        response.writeHead(500).end(isCairnError(error) ? error.code : String(error));
        return;
      }
      let length = 0;
      request.on('data', (bytes: Buffer) => {
        length += bytes.length;
      });
      request.on('end', () => {
        bodies.push(length);
        response.end('taken');
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

function post(path: string, body: Buffer | string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path, method: 'POST', agent: false };
    const asked = send({ ...options, headers: { 'content-type': 'application/json', ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve(text));
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

/** Starts a body of this length and does not finish it. Resolves with the answer. */
function begin(path: string, length: number): { readonly answer: Promise<string>; destroy(): void } {
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n{`,
  );
  let text = '';
  const answer = new Promise<string>((resolve) => {
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.on('close', () => resolve(text)).on('error', () => {});
  });
  return { answer, destroy: () => socket.destroy() };
}

test('a body that exceeds the time limit gets 408, and its connection is closed', async () => {
  const { answer } = begin('/api/sign-in', 100);
  expect(await answer).toMatch(/^HTTP\/1\.1 408 .*BODY_TOO_SLOW/s);
  expect(limits.heldBytes).toBe(0);
});

test('bodies in transit share one byte limit and release their share', async () => {
  const slow = [begin('/api/sign-in', 60_000), begin('/api/sign-in', 30_000)];
  for (let tries = 0; tries < 100 && limits.heldBytes < 90_000; tries++)
    await new Promise((done) => setTimeout(done, 1));
  expect(await post('/api/sign-in', Buffer.alloc(20_000))).toBe('SERVICE_BUSY');
  for (const { destroy } of slow) destroy();
  for (let tries = 0; tries < 100 && limits.heldBytes > 0; tries++) await new Promise((done) => setTimeout(done, 1));
  expect(await post('/api/sign-in', Buffer.alloc(20_000))).toBe('taken');
});

test('each route has its own length limit', async () => {
  expect(['/api/sign-in', '/api/billing/webhook', '/api/networks/a/rpc'].map(bytesMaxOf)).toEqual([
    65_536, 262_144, 1_048_576,
  ]);
  expect(await post('/api/sign-in', Buffer.alloc(65_537))).toBe('BODY_TOO_LONG');
  expect(await post('/api/sign-in', Buffer.alloc(65_536))).toBe('taken');
});

test('the body of a network call is not read without a session', async () => {
  expect(await post('/api/networks/a/rpc?x', '{}')).toBe('SESSION_INVALID');
  expect(await post('/api/networks/a/rpc', '{}', { cookie: 'cairn_session=made-up' })).toBe('SESSION_INVALID');
  expect(bodies).toEqual([]);
});

test('uploads pass without these limits', async () => {
  expect(await post('/api/files', Buffer.alloc(200_000), { 'content-type': 'multipart/form-data; boundary=x' })).toBe(
    'taken',
  );
  expect(bodies).toEqual([200_000]);
});
