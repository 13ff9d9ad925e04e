// The last accepted and the first refused value of each parameter limit (SECURITY.md).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { call, type Gateway, startGateway } from './gateway.ts';
import { sampleEntry } from './sample-network.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ networks: [{ ...sampleEntry, hosts: ['*'], requireFrom: false }] });
});
afterAll(() => gateway?.stop());

const address = `0x${'11'.repeat(20)}`;
const words = (count: number) =>
  Array.from({ length: count }, (_, index) => `0x${index.toString(16).padStart(64, '0')}`);
const addresses = (count: number) => words(count).map((word) => `0x${word.slice(26)}`);
const percentiles = (count: number) => Array.from({ length: count }, (_, index) => index / 2);

test.each<[limit: string, method: string, last: number, params: (count: number) => unknown[]]>([
  ['slots of a proof', 'eth_getProof', 1024, (count) => [address, words(count), 'latest']],
  ['slots of a read', 'eth_getStorageValues', 1024, (count) => [{ [address]: words(count) }, 'latest']],
  ['addresses of a log filter', 'eth_getLogs', 1000, (count) => [{ address: addresses(count) }]],
  ['topics of a place', 'eth_getLogs', 1000, (count) => [{ topics: [words(count)] }]],
  ['places of topics', 'eth_getLogs', 4, (count) => [{ topics: Array(count).fill(null) }]],
  ['percentiles of fees', 'eth_feeHistory', 100, (count) => ['0x1', 'latest', percentiles(count)]],
  ['blocks of a simulation', 'eth_simulateV1', 256, (count) => [{ blockStateCalls: Array(count).fill({}) }, 'latest']],
])('%s: %s accepts %i and refuses one more', async (_limit, method, last, params) => {
  expect(await call(gateway.url, method, params(last))).toMatchObject({ result: expect.anything() });
  expect((await call(gateway.url, method, params(last + 1))).error?.code).toBeLessThan(0);
});

test('a key may have 100 filters, and a connection 100 subscriptions', async () => {
  for (let index = 0; index < 100; index++)
    expect(await call(gateway.url, 'eth_newBlockFilter')).toMatchObject({ result: expect.any(String) });
  expect((await call(gateway.url, 'eth_newBlockFilter')).error).toMatchObject({
    code: -32005,
    data: { limit: 'filters', filtersMax: 100 },
  });
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws').replace('/v3/', '/ws/v3/')}`);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const subscribe = (id: number) =>
    new Promise<{ readonly error?: object }>((resolve) => {
      const onMessage = (data: Buffer) => {
        const message = JSON.parse(String(data));
        if (message.id !== id) return;
        socket.off('message', onMessage);
        resolve(message);
      };
      socket.on('message', onMessage);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params: ['newHeads'] }));
    });
  for (let id = 1; id <= 100; id++) expect(await subscribe(id)).toMatchObject({ result: expect.any(String) });
  expect(await subscribe(101)).toMatchObject({
    error: { code: -32005, data: { limit: 'subscriptions', subscriptionsMax: 100 } },
  });
  socket.terminate();
});
