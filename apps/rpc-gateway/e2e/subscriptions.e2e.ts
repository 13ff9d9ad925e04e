// A thousand subscriptions over ten connections of one account: each event arrives once and in order, and other requests are answered
// in between.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openChainStore } from '@cairn/chain-store';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { call, createHome, type Gateway, key, startGateway, until, withAuth } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

const connections = 10;
const perConnection = 100;
let upstreamHome: string;
let home: string;
let upstream: Gateway;
let gateway: Gateway;

beforeAll(async () => {
  [upstreamHome, home] = [await createHome(), await createHome()];
  upstream = await startGateway({ home: upstreamHome, networks: [{ ...sampleEntry, hosts: ['*'] }] });
  const { name, genesis } = sampleEntry;
  gateway = await startGateway({
    home,
    networks: [{ name, genesis, hosts: ['*'], source: { rpc: upstream.url } }],
  });
  await isAt(sample.head);
});
afterAll(async () => {
  await gateway?.end();
  await upstream?.end();
  for (const directory of [upstreamHome, home]) await rm(directory, { recursive: true, force: true });
});

const headOf = async () =>
  ((await call(gateway.url, 'eth_getBlockByNumber', ['latest', false])).result as { hash: string }).hash;
const isAt = (hash: string) => until(async () => (await headOf()) === hash, `head ${hash}`);
const hashAt = async (height: string) =>
  ((await call(upstream.url, 'eth_getBlockByNumber', [height, false])).result as { hash: `0x${string}` }).hash;

async function chooseHead(hash: `0x${string}`): Promise<void> {
  const store = await openChainStore({ directory: join(upstreamHome, 'chains', sampleEntry.name) });
  try {
    await store.setForkChoice({ head: hash });
  } finally {
    await store.close();
  }
}

/** Requests /livez continuously. `stop` resolves with the slowest answer in milliseconds. */
function watchLag(): { stop(): Promise<number> } {
  let isRunning = true;
  const watching = (async () => {
    let slowest = 0;
    while (isRunning) {
      const start = performance.now();
      await (await fetch(new URL('/livez', gateway.url))).arrayBuffer();
      slowest = Math.max(slowest, performance.now() - start);
    }
    return slowest;
  })();
  return {
    stop() {
      isRunning = false;
      return watching;
    },
  };
}

interface Listener {
  readonly socket: WebSocket;
  /** Events by subscription. */
  readonly events: Map<string, string[]>;
  readonly closed: Promise<number>;
  ask(method: string, params: readonly unknown[]): Promise<{ result?: unknown; error?: { code: number } }>;
}

async function listen(url: string): Promise<Listener> {
  const socket = new WebSocket(url);
  const events = new Map<string, string[]>();
  const answers = new Map<number, (answer: { result?: unknown }) => void>();
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.method !== 'eth_subscription') return void answers.get(message.id)?.(message);
    const { subscription, result } = message.params;
    const event =
      result.number === undefined ? `${result.blockNumber} ${result.logIndex} ${result.removed}` : result.number;
    events.set(subscription, [...(events.get(subscription) ?? []), event]);
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  let id = 0;
  return {
    socket,
    events,
    closed: new Promise((resolve) => socket.once('close', resolve)),
    ask: (method, params) =>
      new Promise((resolve) => {
        answers.set(++id, resolve);
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      }),
  };
}

test('each of a thousand subscriptions gets each event once and in order', async () => {
  const all = await Promise.all(Array.from({ length: connections }, () => listen(gateway.webSocketUrl)));
  for (const { ask } of all) {
    for (let count = 0; count < perConnection; count++) {
      const topic = count % 2 === 0 ? ['newHeads'] : ['logs', {}];
      expect((await ask('eth_subscribe', topic)).result).toMatch(/^0x/);
    }
    expect((await ask('eth_subscribe', ['newHeads'])).error?.code).toBe(-32005);
  }
  const earlier = await hashAt('0xc');
  const lag = watchLag();
  await chooseHead(earlier);
  await isAt(earlier);
  await chooseHead(sample.head as `0x${string}`);
  await isAt(sample.head);
  const expected = perConnection;
  await until(
    async () =>
      all.every(
        ({ events }) =>
          [...events.values()].filter((list) => list.includes('0x18') || list.at(-1)?.endsWith('false')).length ===
          expected,
      ),
    'all events',
  );
  const heads = Array.from({ length: 12 }, (_, index) => `0x${(13 + index).toString(16)}`);
  const kinds = new Set<string>();
  for (const { events } of all)
    for (const list of events.values()) {
      kinds.add(list.join('\n'));
      if (list[0]?.includes(' ') !== true) expect(list).toEqual(heads);
    }
  // One distinct list of heads and one of logs: all subscriptions got the same events.
  expect(kinds.size).toBe(2);
  expect(gateway.log.filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
  process.stdout.write(`slowest answer beside them: ${Math.round(await lag.stop())} ms\n`);
  for (const { socket } of all) socket.terminate();
});

test('a revoked key ends its connections, including idle ones', async () => {
  // All connections open before the keys end, also on a busy machine.
  const endsAfterMs = 10_000;
  const socketUrl = (id: string) => gateway.webSocketUrl.replace(key, id);
  await withAuth(home, async (auth) => {
    const expiresAt = Date.now() + endsAfterMs;
    for (const id of ['ends-listening', 'ends-silent', 'ends-asking'])
      await auth.createKey('caller', { id, expiresAt });
    await auth.createKey('caller', { id: 'revoked-listening' });
  });
  const names = ['ends-listening', 'ends-asking', 'revoked-listening', 'ends-silent'];
  const [ending, asking, revoked, silent] = (await Promise.all(names.map((id) => listen(socketUrl(id))))) as [
    Listener,
    Listener,
    Listener,
    Listener,
  ];
  for (const { ask } of [ending, revoked]) expect((await ask('eth_subscribe', ['newHeads'])).result).toBeDefined();
  await withAuth(home, async (auth) => void (await auth.revokeKey('revoked-listening')));
  await new Promise((resolve) => setTimeout(resolve, endsAfterMs + 500));
  void asking.ask('eth_chainId', []);
  const earlier = await hashAt('0xc');
  await chooseHead(earlier);
  await isAt(earlier);
  await chooseHead(sample.head as `0x${string}`);
  await isAt(sample.head);
  expect(await Promise.all([ending.closed, asking.closed, revoked.closed])).toEqual([1008, 1008, 1008]);
  expect([ending, revoked].map(({ events }) => events.size)).toEqual([0, 0]);
  // The next ping authenticates the key again.
  expect(await silent.closed).toBe(1008);
  await expect(listen(socketUrl('ends-silent'))).rejects.toThrow('401');
  expect((await fetch(gateway.url.replace(key, 'ends-silent'), { method: 'POST', body: '{}' })).status).toBe(401);
});
