import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type RedisServer, startRedis } from '../../../tools/engines/index.mjs';
import { describeWithRedis } from '../../../tools/engines/jest.mjs';
import { openRedis, type Redis, redisLimits, redisScript } from './index.ts';

const add = redisScript('add', "return redis.call('INCRBY', KEYS[1], ARGV[1])");
const opened: Redis[] = [];
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const redis of opened.splice(0)) await redis.close();
  for (const stop of stops.splice(0)) await stop();
});

async function open(url: string, commandMs = 5000): Promise<Redis> {
  const redis = await openRedis({ url, commandMs });
  opened.push(redis);
  return redis;
}

async function start(port?: number): Promise<RedisServer> {
  const server = await startRedis(port === undefined ? {} : { port });
  if (server === undefined) throw new Error('Redis is not installed.');
  stops.push(server.stop);
  return server;
}

/** Sends one command to a server and returns its raw answer. */
function command({ port }: RedisServer, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port }, () => socket.write(`${text}\r\n`));
    socket.once('error', reject);
    socket.once('data', (answer) => {
      socket.destroy();
      resolve(answer.toString());
    });
  });
}

const numberFrom = (answer: unknown) => (typeof answer === 'number' ? answer : undefined);
const increase = (redis: Redis, key: string, by = 1) =>
  redis.run({ script: add, keys: [key], values: [by], parse: numberFrom });

/** Repeats an attempt until it succeeds. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries > 500) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

test.each(['http://localhost', 'redis://', 'nonsense', '', 'redis://a/x', 'redis://a,b'])(
  'openRedis refuses the URL %j and does not repeat it',
  async (url) => {
    const failure = await openRedis({ url }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'REDIS_URL_INVALID' });
    if (url.length > 2) expect(String(failure)).not.toContain(url);
  },
);

describeWithRedis('one Redis server', (server) => {
  test('run sends the text of a script that the server does not have', async () => {
    const redis = await open(server().url);
    expect(await increase(redis, 'a')).toBe(1);
    const flush = redisScript('flush', "return redis.call('SCRIPT', 'FLUSH')");
    await redis.run({ script: flush, keys: ['a'], values: [], parse: () => true }).catch(() => {});
    expect(await increase(redis, 'a', 5)).toBe(6);
  });

  test('an error of a script is REDIS_REFUSED, and an unexpected answer is REDIS_ANSWER_INVALID', async () => {
    const redis = await open(server().url);
    const wrong = redisScript('wrong', "redis.call('LPUSH', KEYS[1], 'x') return redis.call('INCR', KEYS[1])");
    await expect(redis.run({ script: wrong, keys: ['list'], values: [], parse: numberFrom })).rejects.toMatchObject({
      code: 'REDIS_REFUSED',
      details: { kind: 'WRONGTYPE' },
    });
    const text = redisScript('text', "return 'text'");
    await expect(redis.run({ script: text, keys: ['a'], values: [], parse: numberFrom })).rejects.toMatchObject({
      code: 'REDIS_ANSWER_INVALID',
    });
    expect(await eventually(() => increase(redis, 'b'))).toBe(1);
  });

  test('a restarted server is used again, and calls fail without waiting meanwhile', async () => {
    const first = await start();
    const redis = await open(first.url);
    expect(await increase(redis, 'a')).toBe(1);
    expect(redis.stateOf('a')).toMatchObject({ isUp: true, isReconnected: false });
    await first.stop();
    await expect(
      eventually(async () => {
        if (redis.stateOf('a').isUp) throw new Error('The lost connection is not noticed.');
        return await increase(redis, 'a').catch((error: { code: string }) => error.code);
      }),
    ).resolves.toBe('REDIS_UNAVAILABLE');
    await start(first.port);
    expect(await eventually(() => increase(redis, 'a'))).toBe(1);
    expect(redis.stateOf('a')).toMatchObject({ isUp: true, isReconnected: true });
  });

  test('a paused server fails the commands that wait, then all others immediately, and is used again', async () => {
    const paused = await start();
    const redis = await open(paused.url, 100);
    await increase(redis, 'a');
    paused.pause();
    const codes = await Promise.all(
      Array.from({ length: 20 }, () => increase(redis, 'a').catch((error: { code: string }) => error.code)),
    );
    expect(new Set(codes)).toEqual(new Set(['REDIS_OUTCOME_UNKNOWN']));
    await expect(increase(redis, 'a')).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    paused.resume();
    expect(await eventually(() => increase(redis, 'a'))).toBeGreaterThan(1);
  });

  test('commands beyond the bound are refused while the server does not answer', async () => {
    const paused = await start();
    const redis = await open(paused.url, 1000);
    await increase(redis, 'a');
    paused.pause();
    const calls = Array.from({ length: redisLimits.pendingMax + 50 }, () =>
      increase(redis, 'a').catch((error: { code: string }) => error.code),
    );
    const codes = await Promise.all(calls);
    expect(codes.filter((code) => code === 'REDIS_UNAVAILABLE')).toHaveLength(50);
    expect(codes.filter((code) => code === 'REDIS_OUTCOME_UNKNOWN')).toHaveLength(redisLimits.pendingMax);
    paused.resume();
  });

  test('an answer that arrives while the event loop is busy is no failure', async () => {
    const redis = await open(server().url, 50);
    const answer = increase(redis, 'busy');
    await new Promise((resolve) => setImmediate(resolve));
    const end = performance.now() + 200;
    while (performance.now() < end);
    expect(await answer).toBe(1);
  });

  test('the replica that became primary is used after the primary was killed', async () => {
    const [primary, replica] = [await start(), await start()];
    await command(primary, 'CONFIG SET repl-diskless-sync-delay 0');
    await command(replica, `REPLICAOF 127.0.0.1 ${primary.port}`);
    const redis = await open(`${replica.url},${primary.url}`);
    expect(await increase(redis, 'a')).toBe(1);
    // Answers with the number of replicas that have the change.
    while (!(await command(primary, 'WAIT 1 1000')).startsWith(':1'));
    // A replica that still loads the first copy counts, and has no change yet.
    while (!(await command(replica, 'EXISTS a')).startsWith(':1'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    primary.kill();
    await command(replica, 'REPLICAOF NO ONE');
    expect(await eventually(() => increase(redis, 'a'))).toBe(2);
  });

  test('openRedis resolves without a server, and connects when it starts', async () => {
    const first = await start();
    await first.stop();
    const redis = await open(first.url);
    await expect(increase(redis, 'a')).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    await start(first.port);
    expect(await eventually(() => increase(redis, 'a'))).toBe(1);
  });
});

describe('a server that is not Redis', () => {
  /** Starts a server that answers each chunk with a text. */
  async function answering(answer: (chunk: string) => string): Promise<string> {
    const sockets = new Set<Socket>();
    const server: Server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('data', (chunk) => socket.write(answer(chunk.toString())));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const address = server.address();
    return `redis://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  test.each([
    ['HTTP', () => 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['a status', () => '+OK\r\n'],
    ['bytes', () => '\0\x01\x02%%%'],
    ['two answers for one', () => '+OK\r\n+OK\r\n'],
  ])('that answers with %s fails calls and ends nothing', async (_, answer) => {
    const redis = await open(await answering(answer));
    await expect(increase(redis, 'a')).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
  });

  test('that answers scripts with bytes of no answer fails the call and drops the connection', async () => {
    const url = await answering((chunk) => {
      if (chunk.includes('ROLE')) return '*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n';
      return chunk.includes('INFO') ? '$0\r\n\r\n' : 'garbage\r\n';
    });
    const redis = await open(url);
    await expect(increase(redis, 'a')).rejects.toMatchObject({ code: 'REDIS_OUTCOME_UNKNOWN' });
  });
});

describeWithRedis(
  'a cluster of Redis servers',
  (cluster) => {
    test('keys of all slots are found from the address of one server', async () => {
      const redis = await open(cluster().nodes?.[0]?.url ?? '');
      const keys = Array.from({ length: 100 }, (_, index) => `{${index}}:counter`);
      expect(await Promise.all(keys.map((key) => increase(redis, key)))).toEqual(keys.map(() => 1));
    });

    test('keys of the other servers are served while one is paused, and its own after it resumes', async () => {
      const redis = await open(cluster().url, 200);
      const keys = Array.from({ length: 60 }, (_, index) => `{${index}}:paused`);
      await Promise.all(keys.map((key) => increase(redis, key)));
      const [node] = cluster().nodes ?? [];
      node?.pause();
      const first = await Promise.allSettled(keys.map((key) => increase(redis, key)));
      const failed = first.filter(({ status }) => status === 'rejected').length;
      expect(failed).toBeGreaterThan(5);
      expect(failed).toBeLessThan(40);
      node?.resume();
      await eventually(() => Promise.all(keys.map((key) => increase(redis, key))));
    });
  },
  { isCluster: true },
);
