import { openRedis, type Redis, redisScript } from '@cairn/redis';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { type RedisServer, startRedis } from '../../../../tools/engines/index.mjs';
import { describeWithRedis } from '../../../../tools/engines/jest.mjs';
import type { LimitStore, TakeRequest } from '../limits/limit-store.ts';
import { TokenLot } from '../limits/token-lot.ts';
import { describeLimitStore } from '../testing/describe-limit-store.ts';
import { openRedisLimitStore, type RedisLimitStoreOptions } from './index.ts';

const day = { kind: 'window', limit: 1000, seconds: 86_400 } as const;
const bucket = { kind: 'bucket', ratePerSecond: 10, capacity: 30 } as const;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const end of ends.splice(0).reverse()) await end();
});

/** Opens a store with a connection of its own, as a process does. */
async function open(url: string, options: RedisLimitStoreOptions = {}, commandMs = 5000) {
  const redis = await openRedis({ url, commandMs });
  const store = await openRedisLimitStore(redis, { settleMs: 100, ...options });
  ends.push(async () => {
    await store.close();
    await redis.close();
  });
  return { redis, store };
}

async function start(port?: number): Promise<RedisServer> {
  const server = await startRedis(port === undefined ? {} : { port });
  if (server === undefined) throw new Error('Redis is not installed.');
  ends.push(server.stop);
  return server;
}

async function take(store: LimitStore, request: Partial<TakeRequest> & { min: number }) {
  const [taken] = await store.take([{ key: 'acc\0credits', rule: day, want: request.min, ...request }]);
  if (taken === undefined) throw new Error('no answer');
  return taken;
}

async function until(isReached: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isReached()); tries++) {
    if (tries > 1000) throw new Error('The state is not reached.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
const key = 'cairn:limits:{acc}:window:credits';
const isUp = (redis: Redis) => redis.stateOf(key).isUp;
const isSettled = (redis: Redis) => isUp(redis) && performance.now() - redis.stateOf(key).upAt > 150;

describe.each([{ isCluster: false }, { isCluster: true }])('cluster: $isCluster', ({ isCluster }) => {
  describeWithRedis(
    'limits in Redis',
    (server) => {
      describeLimitStore(`RedisLimitStore (cluster: ${isCluster})`, async ({ now }) => {
        await server().flush();
        return async () => {
          const redis = await openRedis({ url: server().url, commandMs: 5000 });
          const store = await openRedisLimitStore(redis, { now });
          const close = store.close.bind(store);
          store.close = () => close().then(() => redis.close());
          return store;
        };
      });
    },
    { isCluster },
  );
});

describeWithRedis('RedisLimitStore', (server) => {
  test('windows follow the clock of the server, and their ends are times of the process', async () => {
    await server().flush();
    const { store: exact } = await open(server().url);
    expect(await take(exact, { min: 900 })).toMatchObject({ granted: 900 });
    const ahead = Date.now() + 3 * 86_400_000;
    jest.spyOn(Date, 'now').mockImplementation(() => ahead);
    const { store } = await open(server().url);
    const taken = await take(store, { min: 200 });
    expect(taken).toMatchObject({ granted: 0, remaining: 100 });
    expect(taken.endsAt).toBeGreaterThan(ahead);
    expect(taken.endsAt).toBeLessThanOrEqual(ahead + 86_400_000);
    // A process that is a little ahead near midnight does not take one lot after the other.
    const lot = new TokenLot({ ...store, take: (requests) => early(store, requests) }, 'acc\0lots', day, () => ahead);
    expect(await lot.take(1)).toBeUndefined();
    expect(await take(store, { key: 'acc\0lots', min: 0 })).toMatchObject({ remaining: 999 });
  });

  /** Reports windows that have ended by the clock of the process. */
  async function early(store: LimitStore, requests: readonly TakeRequest[]) {
    return (await store.take(requests)).map((taken) => ({ ...taken, endsAt: Date.now() - 1 }));
  }

  test('every key expires', async () => {
    await server().flush();
    const { store, redis } = await open(server().url);
    await take(store, { min: 1 });
    await take(store, { key: 'acc\0requests', rule: bucket, min: 5 });
    await take(store, { key: 'acc\0never', rule: { ...bucket, ratePerSecond: 1e-9, capacity: 0 }, min: 5 });
    await store.hold({ key: 'acc\0sockets', holder: 'one', min: 1, want: 1, limit: 5, ttlMs: 6000 });
    const list = redisScript(
      'list',
      "local found = {} for _, key in ipairs(redis.call('KEYS', '*')) do found[#found + 1] = redis.call('PTTL', key) end return found",
    );
    const ttls = await redis.run({ script: list, keys: ['a'], values: [], parse: (answer) => answer as number[] });
    expect(ttls).toHaveLength(5);
    for (const ttl of ttls) expect(ttl).toBeGreaterThan(0);
  });

  test('a counter with a value of another type is answered from the share', async () => {
    await server().flush();
    const { store, redis } = await open(server().url);
    const set = redisScript('set', "return redis.call('SET', KEYS[1], 'text')");
    await redis.run({ script: set, keys: [key], values: [], parse: () => true });
    expect((await take(store, { min: 1 })).granted).toBe(1);
    expect((await take(store, { min: 1000 })).granted).toBe(0);
  });

  test('a process that starts without Redis grants a share, never nothing and never everything', async () => {
    const stopped = await start();
    await stopped.stop();
    const now = Date.UTC(2026, 0, 2, 12);
    const { store } = await open(stopped.url, { processesAssumed: 4, now: () => now });
    expect(await take(store, { min: 1, rule: { ...day, limit: 1 } })).toMatchObject({ granted: 1 });
    let granted = 0;
    for (let count = 0; count < 100; count++)
      granted += (await take(store, { key: 'b\0requests', rule: bucket, min: 1 })).granted;
    expect(granted).toBe(1);
    expect(await store.hold({ key: 'p', holder: 'a', min: 1, want: 9, limit: 8, ttlMs: 6000 })).toEqual({
      held: 2,
      others: 0,
    });
    expect(await store.hold({ key: 'q', holder: 'a', min: 1, want: 1, limit: 2, ttlMs: 6000 })).toMatchObject({
      held: 1,
    });
    expect(await take(store, { key: 'none', rule: { ...day, limit: 0 }, min: 1 })).toMatchObject({ granted: 0 });
  });

  test('the share of a rate admits its part of the rate, and a refusal ends within a second', async () => {
    const stopped = await start();
    await stopped.stop();
    let now = Date.UTC(2026, 0, 2, 12);
    const { store } = await open(stopped.url, { processesAssumed: 5, now: () => now });
    let granted = 0;
    for (let step = 0; step < 600; step++, now += 100) {
      const taken = await take(store, { key: 'b\0requests', rule: bucket, min: 1 });
      granted += taken.granted;
      if (taken.granted === 0) expect(taken.retryAfterMs).toBeLessThanOrEqual(1000);
    }
    // 10 a second, shared by 5, for 60 seconds, and one lot.
    expect(granted).toBeGreaterThanOrEqual(119);
    expect(granted).toBeLessThanOrEqual(121);
  });

  test('use in an outage is charged afterwards, and a server that lost its data does not refill the day', async () => {
    const server = await start();
    const { store, redis } = await open(server.url);
    const { store: other, redis: otherRedis } = await open(server.url);
    expect((await take(store, { min: 600 })).granted).toBe(600);
    expect((await take(other, { min: 300 })).remaining).toBe(100);
    await server.stop();
    await until(() => !isUp(redis) && !isUp(otherRedis));
    expect((await take(other, { min: 1 })).granted).toBe(1);
    await start(server.port);
    await until(() => isSettled(redis) && isSettled(otherRedis));
    await until(async () => (await take(store, { min: 0 })).remaining === 99);
  });

  test('a paused server costs one wait, then none, and is used again', async () => {
    const server = await start();
    const { store, redis } = await open(server.url, {}, 100);
    await take(store, { min: 100 });
    server.pause();
    expect((await take(store, { min: 1 })).granted).toBe(1);
    expect(isUp(redis)).toBe(false);
    expect((await take(store, { min: 500 })).granted).toBe(0);
    server.resume();
    await until(() => isSettled(redis));
    // The request that waited may have been granted twice: once by the server, whose answer was lost.
    await until(async () => [898, 899].includes((await take(store, { min: 0 })).remaining));
  });

  test('permits are reported to a server that lost them before others are granted', async () => {
    const server = await start();
    const held = (store: LimitStore, holder: string, min: number) =>
      store.hold({ key: 'acc\0sockets', holder, min, want: min, limit: 10, ttlMs: 6000 });
    const { store, redis } = await open(server.url);
    const { store: other, redis: otherRedis } = await open(server.url);
    expect(await held(store, 'one', 8)).toEqual({ held: 8, others: 0 });
    await server.stop();
    await until(() => !isUp(redis) && !isUp(otherRedis));
    await start(server.port);
    await until(() => isSettled(redis) && isSettled(otherRedis));
    expect(await held(other, 'two', 3)).toEqual({ held: 0, others: 8 });
    expect(await held(other, 'two', 2)).toEqual({ held: 2, others: 8 });
  });
});
