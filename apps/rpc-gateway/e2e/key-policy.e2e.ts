import type { KeyPolicy } from '@cairn/auth';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { type Answer, type Gateway, key, post, until, withAuth } from './gateway.ts';
import { startLimitedGateway } from './limited-gateway.ts';
import { sample } from './sample-network.ts';

const { Token, Loops } = sample.contracts;
const from = sample.accounts.alice;
const policies: Record<string, KeyPolicy> = {
  methods: { methods: ['eth_chainId', 'eth_getBlock*'] },
  networks: { networks: ['sample'] },
  contracts: { contracts: [Token.address] },
  origins: { origins: ['https://app.example'] },
  'here-only': { addresses: ['127.0.0.0/8'] },
  elsewhere: { addresses: ['10.0.0.0/8'] },
};

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startLimitedGateway(policies);
});
afterAll(() => gateway?.end());

const urlOf = (id: string) => gateway.url.replace(key, id);
const line = (method: string, params: readonly unknown[] = []) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
async function ask(id: string, method: string, params: readonly unknown[] = [], headers = {}) {
  const response = await post(urlOf(id), line(method, params), headers);
  const { error, result } = (await response.json()) as Answer;
  return [response.status, error?.code ?? (result === undefined ? undefined : 'ok')];
}

test('a key limited to methods gets -32004 for others', async () => {
  expect(await ask('methods', 'eth_chainId')).toEqual([200, 'ok']);
  expect(await ask('methods', 'eth_getBlockByNumber', ['latest', false])).toEqual([200, 'ok']);
  expect(await ask('methods', 'eth_blockNumber')).toEqual([200, -32004]);
  const batch = await post(urlOf('methods'), `[${line('eth_chainId')},${line('eth_blockNumber')}]`);
  expect(await batch.json()).toMatchObject([{ result: expect.anything() }, { error: { code: -32004 } }]);
});

test('a key limited to contracts gets -32004 for others', async () => {
  const call = (to: string | undefined) => [{ from, to, data: '0x18160ddd' }, 'latest'];
  expect(await ask('contracts', 'eth_call', call(Token.address))).toEqual([200, 'ok']);
  expect(await ask('contracts', 'eth_call', call(Loops.address))).toEqual([200, -32004]);
  expect(await ask('contracts', 'eth_call', call(undefined))).toEqual([200, -32004]);
  expect(await ask('contracts', 'eth_getCode', [Loops.address, 'latest'])).toEqual([200, -32004]);
  expect(await ask('contracts', 'eth_getLogs', [{ address: Token.address }])).toEqual([200, 'ok']);
  expect(await ask('contracts', 'eth_getLogs', [{}])).toEqual([200, -32004]);
  expect(
    await ask('contracts', 'eth_getStorageValues', [{ [Loops.address]: [`0x${'00'.repeat(32)}`] }, 'latest']),
  ).toEqual([200, -32004]);
  const simulation = { blockStateCalls: [{ calls: [{ from, to: Loops.address }] }] };
  expect(await ask('contracts', 'eth_simulateV1', [simulation, 'latest'])).toEqual([200, -32004]);
  expect(await ask('contracts', 'eth_blockNumber')).toEqual([200, 'ok']);
});

test('keys limited to addresses and origins get 403 elsewhere, over HTTP and WebSocket', async () => {
  expect(await ask('here-only', 'eth_chainId')).toEqual([200, 'ok']);
  expect(await ask('elsewhere', 'eth_chainId')).toEqual([403, -32004]);
  expect(await ask('origins', 'eth_chainId')).toEqual([403, -32004]);
  expect(await ask('origins', 'eth_chainId', [], { origin: 'https://other.example' })).toEqual([403, -32004]);
  expect(await ask('origins', 'eth_chainId', [], { origin: 'https://app.example' })).toEqual([200, 'ok']);
  const upgrade = (id: string, origin?: string) =>
    new Promise<unknown>((resolve) => {
      const socket = new WebSocket(gateway.webSocketUrl.replace(key, id), { ...(origin && { origin }) });
      socket.once('open', () => {
        socket.close();
        resolve('open');
      });
      socket.once('unexpected-response', (_, response) => resolve(response.statusCode));
      socket.once('error', () => {});
    });
  expect(await upgrade('here-only')).toBe('open');
  expect(await upgrade('elsewhere')).toBe(403);
  expect(await upgrade('origins')).toBe(403);
  expect(await upgrade('origins', 'https://app.example')).toBe('open');
});

test('a new limit applies within a second, also to open connections', async () => {
  expect(await ask('networks', 'eth_chainId')).toEqual([200, 'ok']);
  const socket = new WebSocket(gateway.webSocketUrl.replace(key, 'networks'));
  await new Promise((resolve) => socket.once('open', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await withAuth(
    gateway.home,
    async (auth) => void (await auth.limitKey('networks', { policy: { networks: ['second'] } })),
  );
  await until(async () => (await ask('networks', 'eth_chainId'))[0] === 403, 'the limit', 1000);
  socket.send(line('eth_chainId'));
  expect(await closed).toBe(1008);
});
