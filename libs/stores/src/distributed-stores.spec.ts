import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cidFor } from '@cairn/cid';
import { openPostgres } from '@cairn/postgres';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { describeWithPostgres, describeWithRedis, describeWithS3 } from '../../../tools/engines/jest.mjs';
import { engineStates, openStores } from './index.ts';

const CAIRN_HOME = '/nowhere';
const CAIRN_DATABASE_URL = 'postgres://someone:hidden@127.0.0.1:9/none';

test.each([
  [{ CAIRN_OBJECT_STORE: 's3://a?secret=hidden' }, /^CAIRN_OBJECT_STORE is set, and CAIRN_DATABASE_URL is not/],
  [{ CAIRN_REDIS_URL: 'redis://:hidden@r' }, /^CAIRN_REDIS_URL is set, and CAIRN_DATABASE_URL is not/],
])('openStores refuses engines without a database', (settings, message) => {
  const open = () => openStores({ CAIRN_HOME, ...settings });
  expect(open).toThrow(
    expect.objectContaining({ code: 'STORES_SETTINGS_INVALID', message: expect.stringMatching(message) }),
  );
  expect(open).not.toThrow(/hidden/);
});

test('a store that needs another engine is refused by name, and never opened in files', async () => {
  const stores = openStores({ CAIRN_HOME, CAIRN_DATABASE_URL });
  await expect(stores.blocks()).rejects.toMatchObject({
    code: 'STORES_SETTINGS_INVALID',
    message: 'CAIRN_DATABASE_URL is set, and blocks need CAIRN_OBJECT_STORE.',
  });
});

test('a database that is away is reported without its password', async () => {
  const stores = openStores({ CAIRN_HOME, CAIRN_DATABASE_URL });
  const error: unknown = await stores.accounts().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'POSTGRES_UNAVAILABLE' });
  expect(JSON.stringify([error, String(error)])).not.toContain('hidden');
  expect(engineStates()).toEqual([]);
});

describeWithPostgres('openStores', (server) => {
  test('reports a database that became read-only, until it accepts writes', async () => {
    const url = await server().createDatabase();
    const accounts = await openStores({ CAIRN_HOME, CAIRN_DATABASE_URL: url }).accounts();
    const admin = await openPostgres({ url: server().url, connectionsMax: 1 });
    const name = new URL(url).pathname.slice(1);
    const setReadOnly = async (value: 'on' | 'off') => {
      await admin.write({ text: `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}` });
      const text = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1';
      await admin.read({ text, values: [name] });
    };
    const warning = () => engineStates().find((engine) => engine.name === 'postgres')?.warning ?? '';
    const waitFor = async (isExpected: (text: string) => boolean) => {
      for (let tries = 0; tries < 100 && !isExpected(warning()); tries++)
        await new Promise((resolve) => setTimeout(resolve, 100));
      return warning();
    };
    expect(warning()).toBe('');
    await setReadOnly('on');
    expect(await waitFor((text) => text.includes('read-only'))).toMatch(/^PostgreSQL is read-only/);
    await setReadOnly('off');
    expect(await waitFor((text) => text === '')).toBe('');
    await accounts.close();
    await admin.close();
  }, 30_000);
});

describeWithPostgres('openStores with a bucket', (server) => {
  describeWithS3('of an S3 server', (s3) => {
    test('opens blocks in it, which another process reads', async () => {
      const { accessKeyId, secretAccessKey, createStore } = s3();
      const settings = {
        CAIRN_HOME,
        CAIRN_DATABASE_URL: await server().createDatabase(),
        CAIRN_OBJECT_STORE: createStore(),
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
      };
      const [one, other] = [await openStores(settings).blocks(), await openStores(settings).blocks({ bytesMax: 1000 })];
      const bytes = new TextEncoder().encode('block');
      const cid = cidFor(bytes, { codec: 'raw' });
      await one.putMany([{ cid, bytes }]);
      await one.sync();
      expect(Buffer.from(await other.get(cid)).toString()).toBe('block');
      expect(engineStates().map(({ name }) => name)).toEqual(['postgres', 'object-store']);
      await one.close();
      await other.close();
      expect(engineStates()).toEqual([]);
    });

    test('caches blocks in the home, which may be deleted, and counts requests and hits', async () => {
      const home = mkdtempSync(join(tmpdir(), 'cairn-stores-'));
      const { accessKeyId, secretAccessKey, createStore } = s3();
      const stores = openStores({
        CAIRN_HOME: home,
        CAIRN_DATABASE_URL: await server().createDatabase(),
        CAIRN_OBJECT_STORE: createStore(),
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        CAIRN_BLOCK_CACHE_BYTES: 1024 * 1024,
      });
      const bytes = new TextEncoder().encode('cached block');
      const cid = cidFor(bytes, { codec: 'raw' });
      const counters = (name: string) => engineStates().find((engine) => engine.name === name)?.counters ?? {};
      const readUntilHit = async () => {
        const { hits: before = 0 } = counters('block-cache');
        for (let attempt = 0; counters('block-cache').hits === before && attempt < 1000; attempt++) {
          expect(Buffer.from(await store.get(cid)).toString()).toBe('cached block');
          await new Promise((resolve) => setImmediate(resolve));
        }
        expect(counters('block-cache').hits).toBeGreaterThan(before);
      };
      let store = await stores.blocks();
      await store.putMany([{ cid, bytes }]);
      await store.sync();
      await readUntilHit();
      expect(counters('block-cache').hitBytes).toBe(bytes.length);
      expect(counters('object-store')).toMatchObject({ getFailures: 0 });
      expect(counters('object-store').putRequests).toBeGreaterThan(0);
      const { getRequests } = counters('object-store');
      expect(getRequests).toBeGreaterThan(0);
      await readUntilHit();
      expect(counters('object-store').getRequests).toBe(getRequests);
      await store.close();
      rmSync(join(home, 'cache'), { recursive: true });
      store = await stores.blocks();
      await readUntilHit();
      await store.close();
      // A file in place of the directory: the store works without a cache and reports a warning.
      rmSync(join(home, 'cache'), { recursive: true });
      writeFileSync(join(home, 'cache'), '');
      store = await stores.blocks();
      expect(Buffer.from(await store.get(cid)).toString()).toBe('cached block');
      expect(engineStates().find(({ name }) => name === 'block-cache')).toMatchObject({ warning: expect.any(String) });
      await store.close();
      expect(engineStates()).toEqual([]);
      rmSync(home, { recursive: true });
    });
  });
});

describeWithRedis('openStores with Redis', (redis) => {
  test('opens limits over one connection, and reports Redis as an engine', async () => {
    const stores = openStores({ CAIRN_HOME, CAIRN_DATABASE_URL, CAIRN_REDIS_URL: redis().url });
    const [limits, shared] = [await stores.limits(), await stores.redis()];
    expect(engineStates()).toMatchObject([{ name: 'redis', gauges: { servers: 1, connections: 1 } }]);
    await limits.close();
    expect(shared?.redis.state().serversUp).toBe(1);
    await shared?.close();
    expect(engineStates()).toEqual([]);
  });
});

describeWithPostgres('openStores with a database', (server) => {
  let home: string;
  let url: string;
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'cairn-stores-'));
    url = await server().createDatabase();
  });
  afterEach(() => rmSync(home, { recursive: true }));

  test('opens shared state in it, over one pool, and nothing in files', async () => {
    const stores = openStores({ CAIRN_HOME: home, CAIRN_DATABASE_URL: url });
    const names = [
      'accounts',
      'gatewayHosts',
      'plans',
      'usage',
      'billing',
      'names',
      'providing',
      'pins',
      'files',
      'limits',
    ] as const;
    const opened: { close(): Promise<void> }[] = [
      await openStores({ CAIRN_HOME: home, CAIRN_DATABASE_URL: url }).accounts(),
    ];
    for (const name of names) opened.push(await stores[name]());
    expect(readdirSync(home)).toEqual([]);
    const [engine, ...others] = engineStates();
    expect(others).toEqual([]);
    expect(engine).toMatchObject({ name: 'postgres' });
    expect(engine?.counters.statements).toBeGreaterThan(0);
    for (const store of opened) {
      expect(engineStates()).toHaveLength(1);
      await store.close();
      // A store that is closed twice releases the pool once.
      await store.close();
    }
    expect(engineStates()).toEqual([]);
  });

  test('closes the pool when the last store is closed', async () => {
    const stores = openStores({ CAIRN_HOME: home, CAIRN_DATABASE_URL: url });
    const [one, other] = [await stores.plans(), await stores.plans()];
    await one.close();
    expect(await other.plans()).not.toEqual([]);
    await other.close();
    const database = await openPostgres({ url });
    const { rows } = await database.read<{ others: number }>({
      text: 'SELECT count(*) AS others FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    });
    await database.close();
    expect(rows).toEqual([{ others: 0 }]);
  });
});
