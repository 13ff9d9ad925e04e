// Subscriptions that continue on another connection: after a cut, a reorg, and a kill -9 of the gateway.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openChainStore } from '@cairn/chain-store';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { call, createHome, type Gateway, startGateway, until } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

let home: string;
let gateway: Gateway;
const start = () => startGateway({ home, networks: [{ ...sampleEntry, hosts: ['*'] }] });
beforeAll(async () => {
  home = await createHome();
  gateway = await start();
});
afterAll(async () => {
  await gateway?.end();
  await rm(home, { recursive: true, force: true });
});

async function moveTo(height: number): Promise<void> {
  const store = await openChainStore({ directory: join(home, 'chains', sampleEntry.name) });
  try {
    await store.setForkChoice({ head: hashes[height] as `0x${string}` });
  } finally {
    await store.close();
  }
}

interface Event {
  readonly number?: string;
  readonly hash?: string;
  readonly blockNumber?: string;
  readonly logIndex?: string;
  readonly removed?: boolean;
}

async function connect() {
  const socket = new WebSocket(gateway.webSocketUrl);
  const events: Record<string, Event[]> = {};
  const answers = new Map<number, (answer: { result?: string; error?: { code: number; data?: unknown } }) => void>();
  /** Ids in the order in which messages arrived. */
  const order: string[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    order.push(message.params?.subscription ?? `answer ${message.result}`);
    if (message.method !== 'eth_subscription') return void answers.get(message.id)?.(message);
    const { subscription, result } = message.params;
    events[subscription] = [...(events[subscription] ?? []), result];
  });
  await once(socket, 'open');
  let id = 0;
  return {
    socket,
    order,
    of: (subscription: string) => events[subscription] ?? [],
    ask: (method: string, ...params: readonly unknown[]) =>
      new Promise<{ result?: string; error?: { code: number; data?: unknown } }>((resolve) => {
        answers.set(++id, resolve);
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      }),
  };
}

const hashes: string[] = [];
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `0x${(from + n).toString(16)}`);
const text = ({ blockNumber, logIndex, removed }: Event) => `${removed ? '-' : '+'}${blockNumber} ${logIndex}`;

test('heads and logs continue after a cut, a reorg and a restart, each once and in order', async () => {
  for (let height = 0; height <= 24; height++)
    hashes.push(
      (
        (await call(gateway.url, 'eth_getBlockByNumber', [`0x${height.toString(16)}`, false])).result as {
          hash: string;
        }
      ).hash,
    );
  const all = (await call(gateway.url, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])).result as Event[];
  const logsOf = (from: number, to: number) =>
    all.filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to);
  await moveTo(4);
  const first = await connect();
  const heads = String((await first.ask('eth_subscribe', 'newHeads')).result);
  const logs = String((await first.ask('eth_subscribe', 'logs', {})).result);
  await moveTo(18);
  const before = logsOf(5, 18);
  await until(async () => first.of(heads).length === 14 && first.of(logs).length === before.length, 'the first events');
  expect(first.of(logs)).toEqual(before);
  // The client has received only a part of the events when the connection is lost.
  const [lastHead, lastLog] = [first.of(heads)[9], first.of(logs).at(-1)];
  first.socket.terminate();

  await moveTo(12);
  const second = await connect();
  expect((await second.ask('cairn_resume', heads, lastHead)).result).toBe(heads);
  expect((await second.ask('cairn_resume', logs, lastLog)).result).toBe(logs);
  expect((await second.ask('cairn_resume', logs, lastLog)).error?.code).toBe(-32602);
  const removed = logsOf(13, 18).reverse();
  await until(async () => second.of(logs).length === removed.length, 'removed logs');
  expect(second.of(logs)).toEqual(removed.map((log) => ({ ...log, removed: true })));
  expect(second.order[0]).toBe(`answer ${heads}`);
  await moveTo(20);
  await until(async () => second.of(heads).length === 8, 'heads after the reorg');
  expect(second.of(heads).map(({ number }) => number)).toEqual(numbers(13, 20));
  const again = logsOf(13, 20);
  await until(async () => second.of(logs).length === removed.length + again.length, 'logs that are added again');
  const [head, log] = [second.of(heads).at(-1), second.of(logs).at(-1)];
  await gateway.end('SIGKILL');
  gateway = await start();
  await moveTo(24);
  const third = await connect();
  await third.ask('cairn_resume', heads, head);
  await third.ask('cairn_resume', logs, log);
  const rest = logsOf(21, 24);
  await until(async () => third.of(heads).length === 4 && third.of(logs).length === rest.length, 'the last events');
  expect(third.of(heads).map(({ number }) => number)).toEqual(numbers(21, 24));
  expect(third.of(logs).map(text)).toEqual(rest.map(text));
  expect(await third.ask('eth_unsubscribe', heads)).toMatchObject({ result: true });
  third.socket.terminate();
});

test('cairn_resume refuses unknown blocks, foreign ids, and HTTP', async () => {
  const { ask, socket } = await connect();
  const id = String((await ask('eth_subscribe', 'newHeads')).result);
  const [number, hash] = ['0x18', sample.head];
  await ask('eth_unsubscribe', id);
  expect(await ask('cairn_resume', id, { number, hash: `0x${'11'.repeat(32)}` })).toMatchObject({
    error: { code: -32000 },
  });
  expect(await ask('cairn_resume', id, { number: '0x17', hash })).toMatchObject({ error: { code: -32602 } });
  expect(await ask('cairn_resume', '0x1234', { number, hash })).toMatchObject({ error: { code: -32602 } });
  const syncing = String((await ask('eth_subscribe', 'syncing')).result);
  expect(await ask('cairn_resume', syncing, { number, hash })).toMatchObject({ error: { code: -32602 } });
  expect(await ask('cairn_resume', id, { number, hash })).toMatchObject({ result: id });
  expect((await call(gateway.url, 'cairn_resume', [id, { number, hash }])).error?.code).toBe(-32601);
  socket.terminate();
});
