import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openChainStore } from '@cairn/chain-store';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createPublicClient, webSocket } from 'viem';
import { WebSocket } from 'ws';
import { call, createHome, type Gateway, key, startGateway, until, withAuth } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

// One gateway follows another, which performs reorgs, is killed and restarts.
let upstreamHome: string;
let followerHome: string;
let upstream: Gateway;
let follower: Gateway;

beforeAll(async () => {
  [upstreamHome, followerHome] = [await createHome(), await createHome()];
  upstream = await startGateway({ home: upstreamHome, networks: [{ ...sampleEntry, hosts: ['*'] }] });
  follower = await startFollower(upstream.url);
});
afterAll(async () => {
  await follower?.end();
  await upstream?.end();
  for (const home of [upstreamHome, followerHome]) await rm(home, { recursive: true, force: true });
});

const { name, genesis } = sampleEntry;
const startFollower = (rpc: string, home = followerHome) =>
  startGateway({ home, networks: [{ name, genesis, hosts: ['*'], source: { rpc } }] });

const headOf = async (gateway: Gateway) =>
  ((await call(gateway.url, 'eth_getBlockByNumber', ['latest', false])).result as { hash: string }).hash;
const isAt = (hash: string, gateway = follower) => until(async () => (await headOf(gateway)) === hash, `head ${hash}`);

/** Sets the head of the upstream, as a consensus client does. */
async function chooseHead(hash: `0x${string}`): Promise<void> {
  const store = await openChainStore({ directory: join(upstreamHome, 'chains', name) });
  try {
    await store.setForkChoice({ head: hash });
  } finally {
    await store.close();
  }
}

const balanceAt = (blockHash: string) =>
  call(follower.url, 'eth_call', [
    {
      from: sample.accounts.alice,
      to: sample.contracts.Token.address,
      data: `0x70a08231${sample.accounts.alice.slice(2).toLowerCase().padStart(64, '0')}`,
    },
    { blockHash },
  ]);

test('a gateway without files reaches the head of its source and returns the same results', async () => {
  await isAt(sample.head);
  expect((await call(follower.url, 'eth_syncing')).result).toBe(false);
  for (const method of ['eth_getBlockReceipts', 'debug_getRawBlock'])
    expect((await call(follower.url, method, [sample.head])).result).toEqual(
      (await call(upstream.url, method, [sample.head])).result,
    );
});

test('the follower performs the reorgs of its source and keeps the state of left blocks', async () => {
  const before = await balanceAt(sample.head);
  expect(before.result).toBeDefined();
  const { result } = await call(upstream.url, 'eth_getBlockByNumber', ['0x14', false]);
  const { hash: earlier } = result as { hash: `0x${string}` };
  await chooseHead(earlier);
  await isAt(earlier);
  expect((await call(follower.url, 'eth_getBlockByNumber', ['0x18', false])).result).toBeNull();
  expect(await balanceAt(sample.head)).toEqual(before);
  const strict = await call(follower.url, 'eth_getBalance', [
    sample.accounts.alice,
    { blockHash: sample.head, requireCanonical: true },
  ]);
  expect(strict.error?.code).toBe(-32000);
  await chooseHead(sample.head);
  await isAt(sample.head);
  expect(await balanceAt(sample.head)).toEqual(before);
});

test('subscribers get new heads, and added and removed logs', async () => {
  const socket = new WebSocket(follower.webSocketUrl);
  await new Promise((resolve) => socket.once('open', resolve));
  const received: Record<string, { number?: string; blockNumber?: string; removed?: boolean }[]> = {};
  const answers = new Map<number, (result: unknown) => void>();
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.method === 'eth_subscription') {
      const { subscription, result } = message.params;
      received[subscription] = [...(received[subscription] ?? []), result];
    } else answers.get(message.id)?.(message.result ?? message.error);
  });
  const ask = (method: string, ...params: readonly unknown[]) =>
    new Promise<unknown>((resolve) => {
      const id = answers.size;
      answers.set(id, resolve);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  const heads = String(await ask('eth_subscribe', 'newHeads'));
  const logs = String(await ask('eth_subscribe', 'logs', { address: sample.contracts.Token.address }));
  const receipts = String(await ask('eth_subscribe', 'transactionReceipts'));
  const pending = String(await ask('eth_subscribe', 'newPendingTransactions'));
  const syncing = String(await ask('eth_subscribe', 'syncing'));
  for (const id of [heads, logs, receipts, pending, syncing]) received[id] ??= [];
  const { result: blockFilter } = await call(follower.url, 'eth_newBlockFilter', []);
  const { result: logFilter } = await call(follower.url, 'eth_newFilter', [
    { address: sample.contracts.Token.address },
  ]);

  const { result } = await call(upstream.url, 'eth_getBlockByNumber', ['0x14', false]);
  await chooseHead((result as { hash: `0x${string}` }).hash);
  await until(async () => (received[logs]?.length ?? 0) > 0, 'removed logs');
  await chooseHead(sample.head);
  await until(async () => received[heads]?.at(-1)?.number === '0x18', 'the head after the reorg');
  await until(
    async () => received[logs]?.some(({ removed }) => removed === false) ?? false,
    'logs that are added again',
  );
  // Only block 21, which left the chain and returned, has a log of the token.
  expect(received[logs]).toMatchObject([
    { blockNumber: '0x15', removed: true },
    { blockNumber: '0x15', removed: false },
  ]);
  expect(received[heads]?.map(({ number }) => number)).toEqual(['0x15', '0x16', '0x17', '0x18']);
  const { result: ofBlock } = await call(follower.url, 'eth_getBlockReceipts', ['0x15']);
  expect(received[receipts]).toContainEqual(ofBlock);
  expect(received[syncing]).toContainEqual(false);
  expect(received[pending]).toEqual([]);
  // The filters were not polled between the two head changes, which cancel each other.
  expect((await call(follower.url, 'eth_getFilterChanges', [blockFilter])).result).toEqual([]);
  expect((await call(follower.url, 'eth_getFilterChanges', [logFilter])).result).toEqual([]);

  expect(await ask('eth_unsubscribe', heads)).toBe(true);
  expect(await ask('eth_unsubscribe', heads)).toMatchObject({ code: -32000 });
  expect((await call(follower.url, 'eth_subscribe', ['newHeads'])).error).toMatchObject({ code: -32601 });
  socket.close();
});

test('viem watches blocks over WebSocket', async () => {
  const client = createPublicClient({ transport: webSocket(follower.webSocketUrl) });
  const seen: bigint[] = [];
  const unwatch = client.watchBlockNumber({ onBlockNumber: (number) => seen.push(number) });
  const { result } = await call(upstream.url, 'eth_getBlockByNumber', ['0x16', false]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await chooseHead((result as { hash: `0x${string}` }).hash);
  await isAt((result as { hash: string }).hash);
  await chooseHead(sample.head);
  await until(async () => seen.at(-1) === 24n, 'block 24');
  unwatch();
  const rpc = await client.transport.getRpcClient();
  rpc.close();
});

test('removing a contract from a key closes connections with subscriptions to it', async () => {
  const id = 'narrowed';
  const { Token, Loops } = sample.contracts;
  const limited = (contracts: readonly string[]) => ({ policy: { contracts } });
  await withAuth(
    follower.home,
    async (auth) => void (await auth.createKey('caller', { id, ...limited([Token.address]) })),
  );
  const socket = new WebSocket(follower.webSocketUrl.replace(key, id));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('open', resolve));
  const answered = new Promise((resolve) => socket.once('message', resolve));
  const params = ['logs', { address: Token.address }];
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }));
  expect(JSON.parse(String(await answered))).toHaveProperty('result');

  await withAuth(follower.home, async (auth) => void (await auth.limitKey(id, limited([Loops.address]))));
  const url = follower.url.replace(key, id);
  const read = () => call(url, 'eth_getCode', [Token.address, 'latest']);
  await until(async () => (await read()).error?.code === -32004, 'the limit');
  const { result } = await call(upstream.url, 'eth_getBlockByNumber', ['0x14', false]);
  await chooseHead((result as { hash: `0x${string}` }).hash);
  expect(await closed).toBe(1008);
  await chooseHead(sample.head);
  await isAt(sample.head);
});

test('the follower serves without its source, resumes when the source returns, and survives kill -9', async () => {
  const { port } = upstream;
  await upstream.end('SIGKILL');
  await until(
    async () => follower.log.some((line) => line.includes('the source cannot be followed')),
    'a warning about the source',
  );
  expect(follower.log.join('\n')).not.toContain('e2e-key"');
  expect((await call(follower.url, 'eth_blockNumber')).result).toBe('0x18');
  await follower.end('SIGKILL');
  await rm(join(followerHome, 'chains'), { recursive: true });
  upstream = await startGateway({
    home: upstreamHome,
    networks: [{ ...sampleEntry, hosts: ['*'] }],
    env: { RPC_GATEWAY_PORT: String(port) },
  });
  // Follows over WebSocket, and is killed in between.
  const halfway = await startFollower(upstream.webSocketUrl);
  await halfway.end('SIGKILL');
  follower = await startFollower(upstream.webSocketUrl);
  await isAt(sample.head);
  expect((await balanceAt(sample.head)).result).toBeDefined();
});
