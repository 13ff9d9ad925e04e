import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor, parseCid } from '@cairn/cid';
import { openPostgres, type Postgres } from '@cairn/postgres';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { Pinning, PinQueue, type PinRequest, type PinRequestStore, type PinStore } from '../index.ts';
import { openPostgresPinRequestStore, openPostgresPinStore } from './index.ts';

/** Stores of one process. */
interface Process {
  readonly database: Postgres;
  readonly pins: PinStore;
  readonly requests: PinRequestStore;
  readonly pinning: Pinning;
}

describeWithPostgres('processes with one queue in PostgreSQL', (server) => {
  const blocks = createMemoryBlockstore();
  let url: string;
  let processes: Process[];
  let queues: PinQueue[];
  beforeEach(async () => {
    url = await server().createDatabase();
    processes = [];
    queues = [];
  });
  afterEach(async () => {
    for (const queue of queues) await queue.stop();
    for (const { database } of processes) await database.close();
  });

  const open = async (): Promise<Process> => {
    const database = await openPostgres({ url, connectionsMax: 6 });
    const pins = await openPostgresPinStore(database);
    const requests = await openPostgresPinRequestStore(database);
    const opened = { database, pins, requests, pinning: new Pinning({ pins, blocks, collectable: blocks }) };
    processes.push(opened);
    return opened;
  };
  const start = (
    { requests, pinning }: Process,
    pin: (request: PinRequest, signal: AbortSignal) => Promise<void> = async ({ account, cid }) =>
      void (await pinning.pin(account, parseCid(cid), { isRequested: true })),
  ) => {
    const queue = new PinQueue({ requests, pinning, pin, expiryMs: 60_000 });
    queues.push(queue);
    queue.start();
    return queue;
  };
  const addTo = async ({ requests }: Process, account: string, text: string) => {
    const bytes = Buffer.from(text);
    const cid = cidFor(bytes, { codec: 'raw' });
    await blocks.putMany([{ cid, bytes }]);
    return await requests.add(account, { cid: cid.toString(), key: 'key_1' });
  };
  const until = async (passes: () => Promise<boolean> | boolean) => {
    for (let tries = 0; tries < 1000; tries++) {
      if (await passes()) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('the condition was never met');
  };

  test('three processes run each request once', async () => {
    const all = [await open(), await open(), await open()] as const;
    const [first] = all;
    const runs = new Map<string, number>();
    for (const account of ['a', 'b', 'c'])
      for (let index = 0; index < 20; index++) await addTo(first, account, `${account} ${index}`);
    for (const each of all)
      start(each, async ({ id, account, cid }) => {
        runs.set(id, (runs.get(id) ?? 0) + 1);
        await each.pinning.pin(account, parseCid(cid), { isRequested: true });
      });
    await until(async () => (await first.requests.openCount()) === 0);
    expect(runs.size).toBe(60);
    expect([...runs.values()].filter((count) => count !== 1)).toEqual([]);
    expect(queues.reduce((sum, { counts }) => sum + counts.pinned, 0)).toBe(60);
    expect(await first.pinning.usage('a')).toMatchObject({ pins: 20 });
  });

  test('requests of a process that ends without a shutdown are begun again by another one', async () => {
    const [killed, other] = [await open(), await open()];
    const lock = await killed.requests.tryLockQueue();
    const request = await addTo(killed, 'a', 'x');
    expect(await killed.requests.begin('a', request.id)).toBe(true);
    const queue = start(other);
    // The claim of a live process stays.
    expect(await other.requests.begin('a', request.id)).toBe(false);
    expect(
      await other.requests.firstDue({ now: Date.now(), except: new Set(), exceptAccounts: new Set() }),
    ).toBeUndefined();
    await killed.database.write({ text: "UPDATE pin_workers SET expires_at = expires_at - interval '1 hour'" });
    // The row of the live queue was changed too: it registers again.
    await queue.stop();
    start(other);
    await until(async () => (await other.requests.get('a', request.id))?.status === 'pinned');
    expect(await lock?.renew()).toBe(false);
  });

  test('a process that was paused beyond its lease changes no request that another one has begun', async () => {
    const [paused, other] = [await open(), await open()];
    await paused.requests.tryLockQueue();
    const request = await addTo(paused, 'a', 'x');
    await paused.requests.begin('a', request.id);
    await paused.database.write({ text: "UPDATE pin_workers SET expires_at = expires_at - interval '1 hour'" });
    await other.requests.tryLockQueue();
    expect(await other.requests.begin('a', request.id)).toBe(true);
    expect(await paused.requests.finish(request, { status: 'failed', reason: 'late' })).toBeUndefined();
    await paused.requests.report('a', request.id, { blocks: 1, bytes: 1 });
    expect(await other.requests.get('a', request.id)).toMatchObject({ status: 'pinning' });
    expect(await other.requests.get('a', request.id)).not.toHaveProperty('progress');
    expect(await other.requests.finish(request, { status: 'pinned' })).toMatchObject({ status: 'pinned' });
  });

  test('a requested pin stays while any request needs it, with removals and requests in several processes', async () => {
    const [one, two] = [await open(), await open()];
    start(one);
    start(two);
    for (let round = 0; round < 5; round++) {
      const first = await addTo(one, 'a', 'shared');
      await until(async () => (await one.requests.get('a', first.id))?.status === 'pinned');
      const [second] = await Promise.all([addTo(two, 'a', 'shared'), one.requests.remove('a', first.id)]);
      for (const queue of queues) queue.wake();
      await until(async () => (await two.requests.get('a', second.id))?.status === 'pinned');
      for (const queue of queues) queue.wake();
      await until(async () => {
        for await (const _ of one.requests.released()) return false;
        return true;
      });
      expect(await one.pinning.get('a', parseCid(second.cid))).toMatchObject({ isRequested: true });
      await two.requests.remove('a', second.id);
      for (const queue of queues) queue.wake();
      await until(async () => (await one.pinning.get('a', parseCid(second.cid))) === undefined);
    }
    await one.pins.assertConsistent();
  });
});
