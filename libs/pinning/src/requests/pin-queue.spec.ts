import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, cidFor } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openLmdbPinStore, Pinning, type PinStore, QuotaExceededError } from '../index.ts';
import { openLmdbPinRequestStore } from './lmdb-pin-request-store.ts';
import { PinQueue, pinQueueLimits } from './pin-queue.ts';
import type { PinRequest } from './pin-request.ts';
import type { PinRequestStore } from './pin-request-store.ts';
import { pinRequested } from './pin-requested.ts';

let directory: string;
let now: number;
let pins: PinStore;
let requests: PinRequestStore;
let pinning: Pinning;
let blocks = createMemoryBlockstore();
let queues: PinQueue[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-queue-'));
  now = 1_000_000;
  pins = await openLmdbPinStore({ directory });
  requests = await openLmdbPinRequestStore({ directory, now: () => now });
  blocks = createMemoryBlockstore();
  pinning = new Pinning({ pins, blocks, collectable: blocks });
  queues = [];
});
afterEach(async () => {
  for (const queue of queues) await queue.stop();
  await requests.close();
  await pins.close();
  rmSync(directory, { recursive: true });
});

const key = 'key_1';

async function put(bytes: Uint8Array, codec: 'raw' | 'dag-cbor' = 'raw'): Promise<CID> {
  const cid = cidFor(bytes, { codec });
  await blocks.putMany([{ cid, bytes }]);
  return cid;
}
const absent = (text: string) => cidFor(Buffer.from(text), { codec: 'raw' });

/** Pins as the storage API does, with a source of missing blocks. */
function startQueue(
  pin?: (request: PinRequest, signal: AbortSignal) => Promise<void>,
  remote?: Map<string, Uint8Array>,
) {
  const content = {
    fetch: async (cid: CID) => remote?.get(cid.toString()) ?? (await blocks.get(cid)),
  };
  const pinStored = async (request: PinRequest, signal: AbortSignal) => {
    const session = await pinning.write(request.account, { signal });
    await pinRequested(request, { pinning, session, content, signal }).finally(() => session.end());
  };
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const queue = new PinQueue({ requests, pinning, pin: pin ?? pinStored, expiryMs: 60_000, onError, now: () => now });
  queues.push(queue);
  queue.start();
  return { queue, errors };
}

async function until(id: string, passes: (request: PinRequest | undefined) => boolean, account = 'a') {
  for (let tries = 0; tries < 500; tries++) {
    const request = await requests.get(account, id);
    if (passes(request)) return request;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`still ${JSON.stringify(await requests.get(account, id))}`);
}

async function waitFor(passes: () => Promise<boolean> | boolean) {
  for (let tries = 0; tries < 500; tries++) {
    if (await passes()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the condition was never met');
}

describe('PinQueue', () => {
  test('pins stored content and records the reason where content is missing', async () => {
    const { queue } = startQueue();
    const stored = await requests.add('a', { cid: (await put(Buffer.from('here'))).toString(), name: 'n', key });
    const missing = await requests.add('a', { cid: absent('missing').toString(), key });
    queue.wake();
    expect(await until(stored.id, (request) => request?.status === 'pinned')).toMatchObject({ name: 'n', attempts: 0 });
    const waiting = await until(missing.id, (request) => request?.reason !== undefined);
    expect(waiting).toMatchObject({ status: 'queued', attempts: 1, dueAt: now + pinQueueLimits.retryMs });
    // An attempt is counted after its outcome is stored.
    await waitFor(() => queue.counts.pinned === 1 && queue.counts.retried === 1);
  });

  test('fetches the missing blocks of a DAG and stores them', async () => {
    const leaves = ['x', 'y', 'z'].map((text) => ({ cid: absent(text), bytes: Buffer.from(text) }));
    const bytes = dagCbor.encode({ links: leaves.map(({ cid }) => cid) });
    const root = cidFor(bytes, { codec: 'dag-cbor' });
    const remote = new Map([{ cid: root, bytes }, ...leaves].map((block) => [block.cid.toString(), block.bytes]));
    await put(Buffer.from('y'));
    const { queue } = startQueue(undefined, remote);
    const { id } = await requests.add('a', { cid: root.toString(), key });
    queue.wake();
    await until(id, (request) => request?.status === 'pinned');
    expect(await pinning.get('a', root)).toMatchObject({ size: { blocks: 4 }, isRequested: true });
  });

  test('retries with growing delays, then fails with the number of attempts', async () => {
    const { queue } = startQueue();
    const { id } = await requests.add('a', { cid: absent('never').toString(), key });
    const delays: number[] = [];
    for (let attempt = 1; now < 1_000_000 + 60_000; attempt++) {
      queue.wake();
      const request = await until(id, (found) => found?.attempts === attempt);
      delays.push((request?.dueAt ?? 0) - now);
      now = request?.dueAt ?? 0;
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 29_000]);
    queue.wake();
    const failed = await until(id, (found) => found?.status === 'failed');
    expect(failed?.reason).toMatch(/^Gave up after 7 attempts in 60 s: /);
    expect(await requests.openCount()).toBe(0);
  });

  test('fails immediately where no retry can help', async () => {
    const { queue, errors } = startQueue(async () => {
      throw new QuotaExceededError(1, 2, 3);
    });
    const { id } = await requests.add('a', { cid: absent('x').toString(), key });
    queue.wake();
    const failed = await until(id, (request) => request?.status === 'failed');
    expect(failed?.reason).toContain('would exceed its quota');
    expect(errors).toEqual([]);
  });

  test('reports an unexpected error, hides it from the account and retries', async () => {
    const { queue, errors } = startQueue(async () => {
      throw new TypeError('secret detail');
    });
    const { id } = await requests.add('a', { cid: absent('x').toString(), key });
    queue.wake();
    const request = await until(id, (found) => found?.attempts === 1);
    expect(request).toMatchObject({ status: 'queued', reason: 'An internal error ended the attempt.' });
    expect(errors).toHaveLength(1);
  });

  test('bounds concurrent attempts, in all and of one account', async () => {
    const running = new Map<string, number>();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { queue } = startQueue(async ({ account }) => {
      running.set(account, (running.get(account) ?? 0) + 1);
      await released;
      throw new QuotaExceededError(1, 2, 3);
    });
    const accounts = ['a', 'b', 'c', 'd', 'e'];
    for (const account of accounts)
      for (let index = 0; index < 6; index++) await requests.add(account, { cid: absent(`${index}`).toString(), key });
    queue.wake();
    await waitFor(() => queue.running === pinQueueLimits.permits);
    expect([...running.values()].every((count) => count <= pinQueueLimits.permitsPerAccount)).toBe(true);
    release();
    await waitFor(() => queue.counts.failed === 30);
    expect(await requests.openCount()).toBe(0);
  });

  test('a request of another account is not delayed by missing content', async () => {
    const { queue } = startQueue(async ({ account }, signal) => {
      if (account === 'b') throw new QuotaExceededError(1, 2, 3);
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    for (let index = 0; index < 50; index++) await requests.add('a', { cid: absent(`${index}`).toString(), key });
    queue.wake();
    const { id } = await requests.add('b', { cid: absent('b').toString(), key });
    await until(id, (request) => request?.status === 'failed', 'b');
    await waitFor(() => queue.running === pinQueueLimits.permitsPerAccount);
  });

  test('a removed request ends its attempt and leaves no pin', async () => {
    const { queue } = startQueue(async (_, signal) => {
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const { id } = await requests.add('a', { cid: absent('x').toString(), key });
    queue.wake();
    await waitFor(() => queue.running === 1);
    await requests.remove('a', id);
    queue.cancel(id);
    await waitFor(() => queue.running === 0);
    expect(await requests.get('a', id)).toBeUndefined();
  });

  test('a request that is removed while its DAG is pinned releases the pin', async () => {
    const cid = await put(Buffer.from('x'));
    let wasPinned = false;
    const { queue } = startQueue(async (request) => {
      await pinning.pin('a', cid, { isRequested: true });
      await requests.remove('a', request.id);
      wasPinned = true;
    });
    await requests.add('a', { cid: cid.toString(), key });
    queue.wake();
    await waitFor(() => wasPinned);
    await waitFor(async () => queue.running === 0 && (await pinning.get('a', cid)) === undefined);
    expect(await requests.openCount()).toBe(0);
  });

  test('a pin that the account makes during the walk of a request stays its own', async () => {
    const cid = await put(Buffer.from('x'));
    const { queue } = startQueue(async () => {
      await pinning.pin('a', cid, { name: 'own' });
      await pinning.pin('a', cid, { name: 'requested', isRequested: true });
    });
    const { id } = await requests.add('a', { cid: cid.toString(), key });
    queue.wake();
    await until(id, (request) => request?.status === 'pinned');
    await requests.remove('a', id);
    queue.wake();
    await waitFor(async () => {
      for await (const _ of requests.released()) return false;
      return true;
    });
    const pin = await pinning.get('a', cid);
    expect(pin).toMatchObject({ name: 'own' });
    expect(pin?.isRequested).toBeUndefined();
  });

  test('an interrupted attempt runs again in the next queue', async () => {
    const first = startQueue(async (_, signal) => {
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const { id } = await requests.add('a', { cid: (await put(Buffer.from('x'))).toString(), key });
    first.queue.wake();
    await until(id, (request) => request?.status === 'pinning');
    await first.queue.stop();
    expect(await requests.get('a', id)).toMatchObject({ status: 'pinning', attempts: 0 });
    startQueue().queue.wake();
    await until(id, (request) => request?.status === 'pinned');
  });

  test('one of two queues processes requests, and the other takes over', async () => {
    let calls = 0;
    const count = async () => {
      calls++;
      throw new QuotaExceededError(1, 2, 3);
    };
    const one = startQueue(count);
    const other = startQueue(count);
    for (let index = 0; index < 10; index++) await requests.add('a', { cid: absent(`${index}`).toString(), key });
    one.queue.wake();
    other.queue.wake();
    await waitFor(() => one.queue.counts.failed + other.queue.counts.failed === 10);
    expect(calls).toBe(10);
    expect(Math.min(one.queue.counts.failed, other.queue.counts.failed)).toBe(0);
    const [leader, follower] = one.queue.counts.failed > 0 ? [one, other] : [other, one];
    await leader.queue.stop();
    await requests.add('a', { cid: absent('more').toString(), key });
    await waitFor(() => {
      follower.queue.wake();
      return follower.queue.counts.failed === 1;
    });
    expect([await requests.openCount(), calls]).toEqual([0, 11]);
  });
});
