// Subscriptions, filters and resumes on a network that is read from an untrusted node, through reorgs of that node.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openChainStore } from '@cairn/chain-store';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { call, createHome, type Gateway, startGateway, until } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

interface Event {
  readonly number?: string;
  readonly blockNumber?: string;
  readonly logIndex?: string;
  readonly removed?: boolean;
}

let upstreamHome: string;
let home: string;
let upstream: Gateway;
let gateway: Gateway;
const hashes: `0x${string}`[] = [];

beforeAll(async () => {
  [upstreamHome, home] = [await createHome(), await createHome()];
  upstream = await startGateway({ home: upstreamHome, networks: [{ ...sampleEntry, hosts: ['*'] }] });
  for (let height = 0; height <= 24; height++) hashes.push((await blockAt(upstream, `0x${height.toString(16)}`)).hash);
  const { name, genesis } = sampleEntry;
  gateway = await startGateway({
    home,
    networks: [{ name, genesis, hosts: ['*'], upstreams: [upstream.url], head: { trusted: true } }],
  });
  await isAt(24);
});
afterAll(async () => {
  await gateway?.end();
  await upstream?.end();
  for (const directory of [upstreamHome, home]) await rm(directory, { recursive: true, force: true });
});

const blockAt = async (at: Gateway, height: string) =>
  (await call(at.url, 'eth_getBlockByNumber', [height, false])).result as { hash: `0x${string}` };
const isAt = (height: number) =>
  until(async () => (await blockAt(gateway, 'latest'))?.hash === hashes[height], `head ${height}`);

/** Moves the head of the upstream and waits until the gateway has it. */
async function moveTo(height: number): Promise<void> {
  const store = await openChainStore({ directory: join(upstreamHome, 'chains', sampleEntry.name) });
  try {
    await store.setForkChoice({ head: hashes[height] as `0x${string}` });
  } finally {
    await store.close();
  }
  await isAt(height);
}

async function connect() {
  const socket = new WebSocket(gateway.webSocketUrl);
  const events: Record<string, Event[]> = {};
  const answers = new Map<number, (result: unknown) => void>();
  socket.on('message', (data) => {
    const { id, method, params, result, error } = JSON.parse(String(data));
    if (method !== 'eth_subscription') return void answers.get(id)?.(result ?? error);
    events[params.subscription] = [...(events[params.subscription] ?? []), params.result];
  });
  await once(socket, 'open');
  let id = 0;
  return {
    socket,
    of: (subscription: string) => events[subscription] ?? [],
    ask: (method: string, ...params: readonly unknown[]) =>
      new Promise<unknown>((resolve) => {
        answers.set(++id, resolve);
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      }),
  };
}

test('events of an upstream network arrive once and in order, through reorgs and a resume', async () => {
  const query = [{ fromBlock: '0x0', toBlock: 'latest' }];
  const all = (await call(upstream.url, 'eth_getLogs', query)).result as Event[];
  const logsOf = (from: number, to: number) =>
    all.filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to);
  await moveTo(6);
  const first = await connect();
  const heads = String(await first.ask('eth_subscribe', 'newHeads'));
  const logs = String(await first.ask('eth_subscribe', 'logs', {}));
  const filter = (await call(gateway.url, 'eth_newFilter', [{}])).result;
  await moveTo(18);
  const before = logsOf(7, 18);
  await until(async () => first.of(heads).length === 12 && first.of(logs).length === before.length, 'the first events');
  expect(first.of(heads).map(({ number }) => Number(number))).toEqual(Array.from({ length: 12 }, (_, n) => 7 + n));
  expect(first.of(logs)).toEqual(before);
  expect((await call(gateway.url, 'eth_getFilterChanges', [filter])).result).toEqual(before);
  first.socket.terminate();
  await moveTo(12);
  const second = await connect();
  expect(await second.ask('cairn_resume', logs, before.at(-1))).toBe(logs);
  const removed = logsOf(13, 18)
    .reverse()
    .map((log) => ({ ...log, removed: true }));
  await until(async () => second.of(logs).length === removed.length, 'removed logs');
  expect(second.of(logs)).toEqual(removed);
  expect((await call(gateway.url, 'eth_getFilterChanges', [filter])).result).toEqual(removed);
  await moveTo(24);
  const after = logsOf(13, 24);
  await until(async () => second.of(logs).length === removed.length + after.length, 'added logs');
  expect(second.of(logs).slice(removed.length)).toEqual(after);
  expect((await call(gateway.url, 'eth_getFilterChanges', [filter])).result).toEqual(after);
  expect((await call(gateway.url, 'eth_getFilterLogs', [filter])).result).toEqual(logsOf(24, 24));
  expect(hashes[24]).toBe(sample.head);
  second.socket.terminate();
});
