import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeBlockHeader, headerToJson } from '@cairn/block-model';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { WebSocketServer } from 'ws';
import { makeChain } from '../chain.fixture.ts';
import { type ConnectedNode, createExecutionNode } from './execution-node.ts';

/** Errors and results of the server by method. A function decides by the first parameter. */
type Reply = { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string } };

let raw: Uint8Array;
let header: unknown;
let replies: Record<string, (tag: unknown) => Reply | 'html' | 'away'>;
let server: Server;
let nodes: ConnectedNode[];
let seen: string[];
let authorization: string | undefined;
let notify: ((head: unknown) => void) | undefined;

beforeAll(async () => {
  [raw = new Uint8Array(0)] = (await makeChain([[{ kind: 'create', child: 0 }]])).blocks;
  header = headerToJson(decodeBlockHeader(raw));
});
beforeEach(async () => {
  nodes = [];
  seen = [];
  notify = undefined;
  replies = {
    eth_chainId: () => ({ result: '0x1092' }),
    eth_getBlockByNumber: () => ({ result: header }),
    debug_getRawBlock: () => ({ result: `0x${Buffer.from(raw).toString('hex')}` }),
    eth_subscribe: () => ({ result: '0xab' }),
  };
  const answer = (text: string) => {
    const { id, method, params } = JSON.parse(text);
    seen.push(method);
    const reply = replies[method]?.(params[0]) ?? { error: { code: -32601, message: 'no such method' } };
    return typeof reply === 'string' ? reply : JSON.stringify({ jsonrpc: '2.0', id, ...reply });
  };
  server = createServer(async (request, response) => {
    authorization = request.headers.authorization;
    let body = '';
    for await (const chunk of request) body += chunk;
    const text = answer(body);
    if (text === 'away') return void request.socket.destroy();
    response.statusCode = text === 'html' ? 502 : 200;
    response.end(text === 'html' ? '<html>' : text);
  });
  new WebSocketServer({ server }).on('connection', (socket) => {
    notify = (result) =>
      socket.send(
        JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0xab', result } }),
      );
    socket.on('message', (data) => {
      const text = answer(data.toString());
      if (text === 'away' || text === 'html') socket.terminate();
      else socket.send(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const node of nodes) await node.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const { signal } = new AbortController();
function nodeOf(scheme: string, chainId = 4242n): ConnectedNode {
  const { port } = server.address() as AddressInfo;
  const node = createExecutionNode({ url: `${scheme}://user:secret-word@127.0.0.1:${port}/v3/secret-key`, chainId });
  nodes.push(node);
  return node;
}

/** Returns a reply that is used once, before the regular one. */
function once(method: string, reply: Reply | 'html' | 'away'): void {
  const regular = replies[method];
  replies[method] = () => {
    if (regular) replies[method] = regular;
    return reply;
  };
}

describe.each(['http', 'ws'])('over %s', (scheme) => {
  test('chain id, headers and raw blocks are read, also concurrently', async () => {
    const node = nodeOf(scheme);
    const [id, found, block] = await Promise.all([
      node.chainId(signal),
      node.header(1n, signal),
      node.block(1n, signal),
    ]);
    expect(id).toBe(4242n);
    expect(found?.hash).toBe(decodeBlockHeader(raw).hash);
    expect(Buffer.from(block).equals(raw)).toBe(true);
    expect(authorization ?? `Basic ${btoa('user:secret-word')}`).toBe(`Basic ${btoa('user:secret-word')}`);
  });

  test('a broken connection and an answer that is not JSON are retried', async () => {
    const node = nodeOf(scheme);
    await node.chainId(signal);
    for (const reply of ['away', 'html'] as const) {
      once('debug_getRawBlock', reply);
      expect(Buffer.from(await node.block(1n, signal)).equals(raw)).toBe(true);
    }
  });

  test('a missing block, and a tag that the node refuses, are undefined', async () => {
    const node = nodeOf(scheme);
    const refusals: Readonly<Record<string, Reply>> = {
      safe: { error: { code: -39001, message: 'Unknown block' } },
      finalized: { error: { code: -32602, message: 'invalid tag' } },
      latest: { result: header },
    };
    replies.eth_getBlockByNumber = (tag) => refusals[String(tag)] ?? { result: null };
    for (const tag of ['safe', 'finalized', 9n] as const) expect(await node.header(tag, signal)).toBeUndefined();
    replies.eth_getBlockByNumber = () => ({ error: { code: -32602, message: 'no' } });
    await expect(node.header('latest', signal)).rejects.toMatchObject({ code: 'UPSTREAM_REFUSED', rpcCode: -32602 });
  });

  test.each([-32601, -32600, 403])('raw blocks refused with code %s are not requested again', async (code) => {
    const node = nodeOf(scheme);
    replies.debug_getRawBlock = () => ({ error: { code, message: 'denied' } });
    replies.eth_getBlockByNumber = (tag) => ({ result: tag === 'latest' ? header : null });
    for (let round = 0; round < 2; round++)
      await expect(node.block(1n, signal)).rejects.toMatchObject({ code: 'BLOCK_REFUSED' });
    expect(seen.filter((method) => method === 'debug_getRawBlock')).toHaveLength(1);
  });

  test('error messages contain neither key nor password', async () => {
    const { port } = server.address() as AddressInfo;
    const node = nodeOf(scheme);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const error = await node.chainId(signal).catch((reason: Error) => reason);
    expect(error).toMatchObject({
      code: 'UPSTREAMS_UNAVAILABLE',
      message: expect.stringContaining(`127.0.0.1:${port}`),
    });
    expect(String((error as Error).stack)).not.toMatch(/secret/);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  });

  test('a node of another chain is not used', async () => {
    await expect(nodeOf(scheme, 1n).header('latest', signal)).rejects.toThrow(/the chain id is 4242, expected 1/);
  });

  test('an aborted request fails with the reason of its signal', async () => {
    const stop = new AbortController();
    stop.abort(new Error('given up'));
    await expect(nodeOf(scheme).chainId(stop.signal)).rejects.toThrow('given up');
  });
});

test('heads are reported over WebSocket only', async () => {
  expect(nodeOf('http').onHead).toBeUndefined();
  const node = nodeOf('ws');
  const heads: string[] = [];
  await new Promise<void>((resolve) => {
    node.onHead?.(() => {
      heads.push('head');
      if (heads.length === 1) notify?.(header);
      else resolve();
    });
  });
  expect(seen).toContain('eth_subscribe');
});
