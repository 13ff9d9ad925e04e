import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { EventStream, type Subscription } from './event-stream.ts';

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

let gateway: WebSocketServer;
let viewers: Server;
let calls: Call[];
/** Answers a call on its connection. */
let answer: (socket: WebSocket, call: Call) => void;
let wanted: Subscription;

const event = (socket: WebSocket, result: unknown) =>
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0x1', result } }));
const accept = (socket: WebSocket) => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x1' }));

beforeEach(async () => {
  calls = [];
  gateway = new WebSocketServer({ port: 0 });
  gateway.on('connection', (socket) =>
    socket.on('message', (data) => {
      const call = JSON.parse(String(data)) as Call;
      calls.push(call);
      answer(socket, call);
    }),
  );
  viewers = createServer((_, response) => {
    const url = `ws://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
    const connect = async () => {
      const socket = new WebSocket(url);
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      return socket;
    };
    void new EventStream(response, { ...wanted, connect }).start();
  });
  await new Promise<void>((resolve) => viewers.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  gateway.close();
  viewers.close();
  viewers.closeAllConnections();
});

async function open(signal?: AbortSignal) {
  const url = `http://127.0.0.1:${(viewers.address() as AddressInfo).port}`;
  const response = await fetch(url, signal === undefined ? {} : { signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  /** Reads until the stream has a number of lines, or ends. */
  const lines = async (count: number) => {
    while (text.split('\n').length <= count) {
      const { value, done } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      text += value;
    }
    return text.trim().split('\n');
  };
  return { lines };
}

test('events arrive as lines, and a lost connection resumes after the last event', async () => {
  wanted = { kind: 'logs', filter: { address: '0x12' } };
  answer = (socket, { method }) => {
    accept(socket);
    if (method !== 'eth_subscribe') return event(socket, { n: 2 });
    event(socket, { n: 1 });
    setTimeout(() => socket.terminate(), 20);
  };
  const { lines } = await open();
  expect(await lines(2)).toEqual(['{"event":{"n":1}}', '{"event":{"n":2}}']);
  expect(calls.map(({ method, params }) => [method, params])).toEqual([
    ['eth_subscribe', ['logs', { address: '0x12' }]],
    ['cairn_resume', ['0x1', { n: 1 }, 'logs', { address: '0x12' }]],
  ]);
});

test('a refusal of the gateway ends the stream with its reason', async () => {
  wanted = { kind: 'logs' };
  answer = (socket) => socket.send(JSON.stringify({ id: 1, error: { code: -32602, message: 'invalid address' } }));
  const { lines } = await open();
  expect(await lines(9)).toEqual(['{"error":"invalid address"}']);
});

test('the connection to the gateway closes when the viewer leaves', async () => {
  wanted = { kind: 'newHeads' };
  const closed = new Promise((resolve) => {
    answer = (socket) => {
      socket.once('close', resolve);
      accept(socket);
      event(socket, {});
    };
  });
  const viewer = new AbortController();
  const { lines } = await open(viewer.signal);
  await lines(1);
  viewer.abort();
  await closed;
  expect(calls).toHaveLength(1);
});
