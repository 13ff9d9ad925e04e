import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { closeSilent } from './close-silent.ts';

const silenceMs = 30;
/** Several times the silence after which a connection is closed. */
const workMs = 200;

let server: Server;
let handle: (request: IncomingMessage, response: ServerResponse) => void;
let client: Socket;

beforeEach(async () => {
  server = createServer((request, response) => {
    closeSilent(request, response);
    handle(request, response);
  });
  server.setTimeout(silenceMs);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  client.destroy();
  server.close();
  server.closeAllConnections();
});

/** Sends bytes. Resolves with everything received when the server has closed the connection. */
function exchange(text: string): Promise<string> {
  client = connect((server.address() as AddressInfo).port, '127.0.0.1', () => client.write(text));
  let received = '';
  return new Promise((resolve, reject) => {
    client.setEncoding('latin1').on('data', (part: string) => {
      received += part;
    });
    client.on('close', () => resolve(received)).on('error', reject);
  });
}

const post = 'POST / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n';

test('a response that the service works on for long is sent', async () => {
  handle = (_, response) => void setTimeout(() => response.end('done'), workMs);
  expect(await exchange(`${post}content-length: 4\r\n\r\nbody`)).toContain('done');
});

test('a response is completed after a pause between its parts', async () => {
  handle = (_, response) => {
    response.write('first');
    setTimeout(() => response.end('last'), workMs);
  };
  expect(await exchange(`${post}content-length: 0\r\n\r\n`)).toMatch(/first[\s\S]*last/);
});

test('a body that the service does not read for long is read later', async () => {
  handle = (request, response) =>
    void setTimeout(() => {
      let length = 0;
      request.on('data', (chunk: Buffer) => {
        length += chunk.length;
      });
      request.on('end', () => response.end(`read ${length}`));
    }, workMs);
  const body = 'x'.repeat(1_000_000);
  expect(await exchange(`${post}content-length: ${body.length}\r\n\r\n${body}`)).toContain('read 1000000');
});

test('a client that does not send the rest of its body is disconnected', async () => {
  handle = (request) => void request.resume();
  expect(await exchange(`${post}content-length: 10\r\n\r\nbody`)).toBe('');
});

test('a client that does not read its response is disconnected', async () => {
  const closed = new Promise<boolean>((resolve) => {
    handle = (_, response) => {
      response.once('close', () => resolve(response.writableFinished));
      response.write(Buffer.alloc(64 * 1024 * 1024));
    };
  });
  void exchange(`${post}content-length: 0\r\n\r\n`).catch(() => {});
  client.pause();
  expect(await closed).toBe(false);
});

test('a connection whose client sends no further request is closed', async () => {
  handle = (_, response) => void response.end('done');
  server.keepAliveTimeout = 0;
  expect(await exchange('GET / HTTP/1.1\r\nhost: here\r\n\r\n')).toContain('done');
});
