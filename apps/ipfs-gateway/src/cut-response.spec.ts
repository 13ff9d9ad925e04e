import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cutResponse } from './cut-response.ts';
import { receive } from './receive.fixture.ts';

let write: (response: ServerResponse) => void = () => {};
const server = createServer((_, response) => {
  response.setHeader('x-field', 'value');
  write(response);
  cutResponse(response);
});
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void server.close());

const get = (version: '1.0' | '1.1') => receive({ port: (server.address() as AddressInfo).port, path: '/', version });

test('the client gets what was written, and no end of the body', async () => {
  write = (response) => response.writeHead(200).write('written');
  const { text, code } = await get('1.1');
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\nx-field: value\r\n.*\r\n\r\n7\r\nwritten\r\n$/s);
  expect(code).toBeUndefined();
  write = (response) => response.writeHead(200);
  expect((await get('1.1')).text).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n$/s);
});

test('a body with a length ends before it', async () => {
  write = (response) => response.writeHead(200, { 'content-length': 10 }).write('written');
  const { text, code } = await get('1.0');
  expect(text).toMatch(/\r\n\r\nwritten$/);
  expect(code).toBeUndefined();
});

test('a body of HTTP/1.0 without a length is not taken for a complete one', async () => {
  write = (response) => response.writeHead(200).write('written');
  expect((await get('1.0')).code).toBe('ECONNRESET');
});
