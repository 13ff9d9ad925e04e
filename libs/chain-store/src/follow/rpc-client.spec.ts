import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { WebSocketServer } from 'ws';
import { createRpcClient, type RpcClient } from './rpc-client.ts';

/** Responses of the server by method. */
const answers: Readonly<Record<string, (id: number) => string>> = {
  good: (id) => JSON.stringify({ jsonrpc: '2.0', id, result: [1, 'a'] }),
  refused: (id) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }),
  noJson: () => '<html>',
};

let server: Server;
let clients: RpcClient[];
let seen: string | undefined;
beforeEach(async () => {
  clients = [];
  server = createServer(async (request, response) => {
    seen = request.headers.authorization;
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method } = JSON.parse(body);
    response.statusCode = method === 'noJson' ? 502 : 200;
    response.end(answers[method]?.(id) ?? '');
  });
  const webSockets = new WebSocketServer({ server });
  webSockets.on('connection', (socket) => {
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(data.toString());
      if (method === 'away') socket.terminate();
      else socket.send(answers[method]?.(id) ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const client of clients) client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const { signal } = new AbortController();
function clientOf(scheme: string, rest = '/v3/secret-key'): RpcClient {
  const { port } = server.address() as AddressInfo;
  const client = createRpcClient(`${scheme}://user:secret-word@127.0.0.1:${port}${rest}`);
  clients.push(client);
  return client;
}

describe.each(['http', 'ws'])('over %s', (scheme) => {
  test('responses resolve the requests with their ids', async () => {
    const client = clientOf(scheme);
    const both = await Promise.all([client.request('good', [], signal), client.request('good', [1], signal)]);
    expect(both).toEqual([
      [1, 'a'],
      [1, 'a'],
    ]);
  });

  test('a JSON-RPC error results in NODE_REFUSED with its code', async () => {
    await expect(clientOf(scheme).request('refused', [], signal)).rejects.toMatchObject({
      code: 'NODE_REFUSED',
      rpcCode: -32601,
      message: expect.stringContaining('refuses refused: no such method'),
    });
  });

  test('error messages contain neither key nor password', async () => {
    const { port } = server.address() as AddressInfo;
    const client = clientOf(scheme);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const error = await client.request('good', [], signal).catch((reason: Error) => reason);
    expect(error).toMatchObject({ code: 'NODE_UNAVAILABLE', details: { host: `127.0.0.1:${port}` } });
    expect(String((error as Error).stack)).not.toMatch(/secret/);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  });

  test('an aborted request fails with the reason of its signal', async () => {
    const stop = new AbortController();
    stop.abort(new Error('given up'));
    await expect(clientOf(scheme).request('good', [], stop.signal)).rejects.toThrow('given up');
  });
});

test('HTTP: credentials are sent in a header, and a response that is not JSON is reported with its status', async () => {
  const client = clientOf('http');
  await client.request('good', [], signal);
  expect(seen).toBe(`Basic ${Buffer.from('user:secret-word').toString('base64')}`);
  await expect(client.request('noJson', [], signal)).rejects.toThrow(/answers with status 502/);
});

test('WebSocket: a broken connection fails its pending requests, and the next request reconnects', async () => {
  const client = clientOf('ws');
  await expect(client.request('away', [], signal)).rejects.toMatchObject({ code: 'NODE_UNAVAILABLE' });
  expect(await client.request('good', [], signal)).toEqual([1, 'a']);
});
