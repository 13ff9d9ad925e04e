import { openPostgres } from '@cairn/postgres';
import { afterEach, expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import type { LimitRule, LimitStore } from '../limits/limit-store.ts';
import { openPostgresLimitStore, type PostgresLimitStoreOptions } from './index.ts';

const bucket = { kind: 'bucket', ratePerSecond: 100, capacity: 400 } as const;
const day = { kind: 'window', limit: 1000, seconds: 86_400 } as const;
const dayMs = 86_400_000;
/** Noon of today: ended windows are removed by the clock of the database. */
const start = Math.floor(Date.now() / dayMs) * dayMs + dayMs / 2;
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A process with a pool of its own. */
async function open(url: string, options: PostgresLimitStoreOptions = {}) {
  const database = await openPostgres({ url, connectionsMax: 2 });
  const store = await openPostgresLimitStore(database, options);
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await store.close();
    await database.close();
  };
  ends.push(close);
  return { store, database, close };
}

async function take(store: LimitStore, rule: LimitRule, min: number, want = min) {
  const [taken] = await store.take([{ key: 'acc\0k', rule, min, want }]);
  if (taken === undefined) throw new Error('no answer');
  return taken;
}

/** Takes single tokens until a refusal. Returns their number. */
async function drain(store: LimitStore, rule: LimitRule): Promise<number> {
  for (let taken = 0; ; taken++) if ((await take(store, rule, 1)).granted === 0) return taken;
}

/** Waits until a process grants a share of a limit, as the other processes begin or end. */
async function untilShare(store: LimitStore, share: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    const { held } = await store.hold({ key: 'probe', holder: 'probe', min: 1, want: 12, limit: 12, ttlMs: 5000 });
    await store.hold({ key: 'probe', holder: 'probe', min: 0, want: 0, limit: 12, ttlMs: 5000 });
    if (held === share) return;
    if (tries > 1000) throw new Error(`The share is ${held}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describeWithPostgres('limits without Redis', (server) => {
  test('two processes grant the limit of a plan together, and one alone grants all of it', async () => {
    const url = await server().createDatabase();
    let now = start;
    const [one, other] = [await open(url, { now: () => now }), await open(url, { now: () => now })];
    for (const { store } of [one, other]) await take(store, day, 0);
    for (const { store } of [one, other]) await untilShare(store, 6);
    expect([await drain(one.store, bucket), await drain(other.store, bucket)]).toEqual([200, 200]);
    now += 1000;
    expect([await drain(one.store, bucket), await drain(other.store, bucket)]).toEqual([50, 50]);
    await other.close();
    await untilShare(one.store, 12);
    now += 4000;
    expect(await drain(one.store, bucket)).toBe(400);
  });

  test('a window is exact over processes and restarts', async () => {
    const url = await server().createDatabase();
    let now = start;
    const one = await open(url, { now: () => now });
    expect(await take(one.store, day, 900)).toMatchObject({ granted: 900, remaining: 100 });
    await one.close();
    const other = await open(url, { now: () => now });
    expect(await take(other.store, day, 101)).toMatchObject({ granted: 0, remaining: 100 });
    expect(await take(other.store, day, 100)).toMatchObject({ granted: 100, remaining: 0 });
    now += dayMs / 2;
    expect(await take(other.store, day, 1000)).toMatchObject({ granted: 1000 });
  });

  test('windows are removed after their end', async () => {
    const url = await server().createDatabase();
    const { store, database } = await open(url, { now: () => start - 3 * dayMs });
    await take(store, day, 1);
    for (let tries = 0, count = 1; count > 0; tries++) {
      expect(tries).toBeLessThan(1000);
      await new Promise((resolve) => setTimeout(resolve, 20));
      ({ count } = await database.read({ text: 'SELECT FROM limit_windows' }));
    }
  });

  test('permits of processes are shares, and at least one', async () => {
    const url = await server().createDatabase();
    const [one, other] = [await open(url), await open(url)];
    for (const { store } of [one, other]) await take(store, day, 0);
    for (const { store } of [one, other]) await untilShare(store, 6);
    const hold = (store: LimitStore, limit: number) =>
      store.hold({ key: 'p', holder: 'h', min: 1, want: limit, limit, ttlMs: 5000 });
    for (const { store } of [one, other]) {
      expect(await hold(store, 10)).toMatchObject({ held: 5 });
      expect(await hold(store, 1)).toMatchObject({ held: 1 });
    }
  });

  test('a request above the share of a process is granted, and paid afterwards', async () => {
    const url = await server().createDatabase();
    let now = start;
    const [one, other] = [await open(url, { now: () => now }), await open(url, { now: () => now })];
    for (const { store } of [one, other]) await take(store, day, 0);
    await untilShare(one.store, 6);
    expect(await take(one.store, bucket, 300)).toMatchObject({ granted: 300 });
    now += 2000;
    expect(await take(one.store, bucket, 1)).toMatchObject({ granted: 0 });
    now += 1000;
    expect(await drain(one.store, bucket)).toBe(50);
    expect(await take(one.store, bucket, 401)).toMatchObject({ granted: 0 });
  });

  test('a process without its database grants its share of a window once, and not all', async () => {
    const { store } = await open(await server().createDatabase(), { now: () => start });
    expect(await take(store, day, 900)).toMatchObject({ granted: 900 });
    await server().stop();
    try {
      expect(await drain(store, day)).toBe(1000);
      expect(await drain(store, bucket)).toBe(400);
      expect(await take(store, day, 1)).toMatchObject({ granted: 0, retryAfterMs: 1000 });
    } finally {
      await server().start();
    }
    for (let tries = 0; (await take(store, day, 1)).granted === 0; tries++) {
      expect(tries).toBeLessThan(1000);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await take(store, day, 100)).toMatchObject({ granted: 0, remaining: 99 });
  });
});
