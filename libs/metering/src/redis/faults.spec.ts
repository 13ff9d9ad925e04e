import { openRedis } from '@cairn/redis';
import { afterEach, expect, test } from '@jest/globals';
import { type RedisServer, startRedis } from '../../../../tools/engines/index.mjs';
import { describeWithRedis } from '../../../../tools/engines/jest.mjs';
import type { LimitRule, LimitStore } from '../limits/limit-store.ts';
import { lotOf, TokenLot } from '../limits/token-lot.ts';
import { openRedisLimitStore } from './index.ts';

const processes = 3;
const bucket = { kind: 'bucket', ratePerSecond: 200, capacity: 400 } as const;
const day = { kind: 'window', limit: 3000, seconds: 86_400 } as const;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A process that takes tokens of one counter as fast as it gets them. */
class Client {
  taken = 0;
  refusals = 0;
  isStopped = false;
  readonly #lot: TokenLot;

  constructor(store: LimitStore, rule: LimitRule) {
    this.#lot = new TokenLot(store, `acc\0${rule.kind}`, rule, Date.now);
  }

  async run(): Promise<void> {
    while (!this.isStopped) {
      if ((await this.#lot.take(1)) === undefined) this.taken++;
      else this.refusals++;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await this.#lot.settle({ isClosing: true });
  }
}

const sum = (clients: readonly Client[], name: 'taken' | 'refusals') =>
  clients.reduce((all, client) => all + client[name], 0);

describeWithRedis('limits while Redis is killed, paused and stopped', () => {
  test('three processes exceed a limit by at most one lot each, and each is served in every outage', async () => {
    let server = (await startRedis()) as RedisServer;
    ends.push(() => server.stop());
    const [requests, credits]: [Client[], Client[]] = [[], []];
    for (let count = 0; count < processes; count++) {
      const redis = await openRedis({ url: server.url, commandMs: 150 });
      const store = await openRedisLimitStore(redis, { settleMs: 500 });
      ends.push(() => store.close().then(() => redis.close()));
      requests.push(new Client(store, bucket));
      credits.push(new Client(store, day));
    }
    const begin = Date.now();
    const runs = [...requests, ...credits].map((client) => client.run());
    const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    await pause(1500);
    for (let round = 0; round < 6; round++) {
      const before = requests.map(({ taken }) => taken);
      if (round % 2 === 0) server.pause();
      else await (round % 4 === 1 ? server.kill() : server.stop());
      await pause(1500);
      for (const [place, { taken }] of requests.entries()) expect(taken).toBeGreaterThan(before[place] ?? 0);
      if (round % 2 === 0) server.resume();
      else server = (await startRedis({ port: server.port })) as RedisServer;
      await pause(900);
    }
    // Uses up the rest of the day. A refused process asks again after a second.
    for (let before = -1; before !== sum(credits, 'taken'); await pause(1500)) before = sum(credits, 'taken');
    for (const client of [...requests, ...credits]) client.isStopped = true;
    await Promise.all(runs);
    const seconds = (Date.now() - begin) / 1000;
    expect(sum(requests, 'refusals')).toBeGreaterThan(0);
    expect(sum(requests, 'taken')).toBeLessThanOrEqual(400 + 200 * seconds + processes * lotOf(bucket));
    expect(sum(credits, 'taken')).toBeLessThanOrEqual(3000 + processes * lotOf(day));
    // An answer that was lost costs its tokens.
    expect(sum(credits, 'taken')).toBeGreaterThan(2900);
  });

  test('a new process gets nothing of a used day after Redis has lost its data', async () => {
    let server = (await startRedis()) as RedisServer;
    ends.push(() => server.stop());
    const open = async () => {
      const redis = await openRedis({ url: server.url, commandMs: 150 });
      const store = await openRedisLimitStore(redis, { settleMs: 500 });
      ends.push(() => store.close().then(() => redis.close()));
      return { redis, store };
    };
    const known = await open();
    const lot = new TokenLot(known.store, 'acc\0day', { ...day, limit: 20 }, Date.now);
    for (let count = 0; count < 20; count++) expect(await lot.take(1)).toBeUndefined();
    // Refused until the end of the day, without another request to Redis.
    expect(await lot.take(1)).toBeGreaterThan(0);
    await server.kill();
    server = (await startRedis({ port: server.port })) as RedisServer;
    const { calls } = known.redis.state();
    while (known.redis.state().serversUp === 0 || known.redis.state().calls === calls)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const other = new TokenLot((await open()).store, 'acc\0day', { ...day, limit: 20 }, Date.now);
    expect(await other.take(1)).toBeGreaterThan(0);
  });
});
