import type { Block } from '@cairn/blockstore/core';
import { cidFor } from '@cairn/cid';
import { afterEach, expect, test } from '@jest/globals';
import type { BlockExchange } from '../index.ts';
import { describeBlockExchange } from '../testing/index.ts';
import { type Answer, TestGateways } from './gateways.fixture.ts';
import { createHttpExchange, type HttpExchangeOptions } from './index.ts';

describeBlockExchange('createHttpExchange', async () => {
  const gateways = new TestGateways();
  return {
    exchange: createHttpExchange({ found: { allowsPrivate: true } }),
    startNode: () => gateways.start(),
    startWrongNode: async () => (await gateways.start((_, response) => void response.end('wrong'))).provider,
    stop: () => gateways.stop(),
  };
});

const gateways = new TestGateways();
const exchanges: BlockExchange[] = [];
afterEach(async () => {
  for (const exchange of exchanges.splice(0)) await exchange.close();
  await gateways.stop();
});

function create(options: HttpExchangeOptions): BlockExchange {
  const exchange = createHttpExchange(options);
  exchanges.push(exchange);
  return exchange;
}

const block = (text: string): Block => {
  const bytes = Buffer.from(text);
  return { cid: cidFor(bytes, { codec: 'raw' }), bytes };
};
const within = (milliseconds: number) => ({ signal: AbortSignal.timeout(milliseconds) });

const hostile: Readonly<Record<string, Answer>> = {
  'other bytes': (_, response) => void response.end('other bytes'),
  'a body without an end': (_, response) => {
    const timer = setInterval(() => response.write(Buffer.alloc(256 * 1024)), 1);
    response.on('close', () => clearInterval(timer));
  },
  'a redirect to a metadata service': (_, response) =>
    void response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  'a redirect without an end': (request, response) => void response.writeHead(302, { location: request.url }).end(),
  'a connection that closes': (request) => void request.socket.destroy(),
  'status 500': (_, response) => void response.writeHead(500).end(),
};

test.each(Object.keys(hostile))('a gateway with %s is asked once, and the block comes from another', async (name) => {
  const wrong = await gateways.start(hostile[name]);
  const good = await gateways.start();
  const blocks = ['a', 'b', 'c'].map(block);
  await good.put(blocks);
  const exchange = create({ gateways: [wrong.url, good.url] });
  for (const { cid, bytes } of blocks) expect(Buffer.from(await exchange.fetch(cid))).toEqual(bytes);
  const expected = name === 'a redirect without an end' ? 3 : 1;
  expect(wrong.requests.length).toBe(expected);
  expect(good.requests.length).toBe(3);
});

test('a slow gateway is hedged by the next, and its request ends', async () => {
  const slow = await gateways.start(() => {});
  const good = await gateways.start();
  const { cid, bytes } = block('a');
  await good.put([{ cid, bytes }]);
  const exchange = create({ gateways: [slow.url, good.url], limits: { hedgeMsMin: 20 } });
  expect(Buffer.from(await exchange.fetch(cid))).toEqual(bytes);
  while (slow.aborted === 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

test('many equal fetches make one request', async () => {
  const good = await gateways.start();
  const { cid, bytes } = block('a');
  await good.put([{ cid, bytes }]);
  const exchange = create({ gateways: [good.url] });
  await Promise.all(Array.from({ length: 200 }, () => exchange.fetch(cid)));
  expect(good.requests.length).toBe(1);
});

test('an aborted fetch ends its request', async () => {
  const slow = await gateways.start(() => {});
  const exchange = create({ gateways: [slow.url] });
  const abort = new AbortController();
  const fetching = exchange.fetch(block('a').cid, { signal: abort.signal });
  while (slow.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  abort.abort(new Error('ended'));
  await expect(fetching).rejects.toThrow('ended');
  while (slow.aborted === 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

test('gateways found in the network are asked at public addresses only', async () => {
  const internal = await gateways.start();
  const { cid, bytes } = block('a');
  await internal.put([{ cid, bytes }]);
  const port = new URL(internal.url).port;
  const answers = ['192.0.2.1', '127.0.0.1'];
  const resolveHost = async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }];
  const exchange = create({ found: { resolveHost }, limits: { exclusionMsMin: 1 } });
  const addresses = [
    ...(internal.provider.addresses ?? []),
    `/ip6/::1/tcp/${port}/http`,
    `/ip6/::ffff:127.0.0.1/tcp/${port}/http`,
    `/dns4/rebinding.example/tcp/${port}/http`,
    '/ip4/169.254.169.254/tcp/80/http',
  ];
  await expect(exchange.fetch(cid, { ...within(400), providers: [{ addresses }] })).rejects.toThrow();
  expect(internal.requests).toEqual([]);
});

test('a gateway that limits the rate is asked again after its Retry-After', async () => {
  const limited = await gateways.start((_, response) => void response.writeHead(429, { 'retry-after': '3600' }).end());
  let now = 0;
  const exchange = create({ gateways: [limited.url], now: () => now, limits: { againMsMin: 10, againMsMax: 10 } });
  const { cid } = block('a');
  await expect(exchange.fetch(cid, within(150))).rejects.toThrow();
  expect(limited.requests.length).toBe(1);
  now = 599_000;
  await expect(exchange.fetch(cid, within(100))).rejects.toThrow();
  expect(limited.requests.length).toBe(1);
  now = 601_000;
  await expect(exchange.fetch(cid, within(100))).rejects.toThrow();
  expect(limited.requests.length).toBe(2);
});

test('requests to one host and fetches in total are bounded', async () => {
  let running = 0;
  let most = 0;
  const slow = await gateways.start((_, response) => {
    most = Math.max(most, ++running);
    setTimeout(() => {
      running--;
      response.writeHead(404).end();
    }, 5);
  });
  const exchange = create({ gateways: [slow.url], limits: { requestsPerHostMax: 4, fetchesMax: 40 } });
  const fetches = Array.from({ length: 41 }, (_, index) => exchange.fetch(block(`${index}`).cid, within(500)));
  const results = await Promise.allSettled(fetches);
  expect(most).toBe(4);
  expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toContain('EXCHANGE_BUSY');
});

test('hosts of hostile providers take bounded memory', async () => {
  const exchange = create({ found: { resolveHost: async () => [] }, limits: { hostsMax: 50 } });
  for (let index = 0; index < 100; index++) {
    const addresses = Array.from({ length: 1000 }, (_, at) => `/dns4/h${index}-${at}.invalid/tcp/80/http`);
    await expect(
      exchange.fetch(block('a').cid, { signal: AbortSignal.timeout(1), providers: [{ addresses }] }),
    ).rejects.toThrow();
  }
  expect(exchange.peers().length).toBeLessThanOrEqual(50 + 16);
});
