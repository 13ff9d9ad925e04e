import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { discardBody } from '@cairn/service-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readBody } from './read-body.ts';

const bytesMax = 1024;
const server = createServer((incoming, response) => {
  const answer = (status: number, text: string) => {
    response.writeHead(status).end(text);
    discardBody(incoming);
  };
  readBody(incoming, bytesMax).then(
    ({ length }) => answer(200, `${length} bytes`),
    (error: Error) => answer(400, error.message),
  );
});
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void server.close());

function put(length: number): Promise<string> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const sent = request({ port, method: 'PUT' }, (response) => {
      let text = `${response.statusCode} `;
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve(text));
    });
    sent.on('error', reject).end(Buffer.alloc(length));
  });
}

test('a client that sends too much gets the response, not a reset', async () => {
  expect(await put(bytesMax)).toBe(`200 ${bytesMax} bytes`);
  for (const length of [bytesMax + 1, 16 * 1024 * 1024])
    expect(await put(length)).toBe(`400 The body has more than ${bytesMax} bytes.`);
});
