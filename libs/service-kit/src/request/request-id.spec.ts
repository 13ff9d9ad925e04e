import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { answerHealth, requestId } from '../index.ts';

test.each([
  ['abc-123', true],
  ['with space', false],
  ['x'.repeat(129), false],
  ['line\nbreak', false],
])('the request id %j is kept: %s', (sent, isKept) => {
  const id = requestId({ headers: { 'x-request-id': sent } });
  expect(id === sent).toBe(isKept);
  expect(id).toMatch(/^[\w.:/+=-]{1,128}$/);
});

test('health: alive always, ready only when nothing speaks against it, other paths are left alone', async () => {
  let reason: string | undefined = 'importing';
  const server = createServer((request, response) => {
    if (!answerHealth(request, response, () => [{ name: 'chain', problem: reason }])) response.writeHead(418).end();
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const status = async (path: string, method = 'GET') => (await fetch(url + path, { method })).status;
  expect(await status('/livez')).toBe(200);
  expect(await status('/readyz')).toBe(503);
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
    status: 'unavailable',
    reason: 'importing',
    dependencies: { chain: 'importing' },
  });
  reason = undefined;
  expect(await status('/readyz?verbose')).toBe(200);
  expect(await status('/readyz', 'POST')).toBe(405);
  expect(await status('/other')).toBe(418);
  await new Promise((resolve) => server.close(resolve));
});
