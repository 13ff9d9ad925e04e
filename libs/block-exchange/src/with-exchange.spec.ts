import { createMemoryBlockstore } from '@cairn/blockstore/core';
import { cidFor } from '@cairn/cid';
import { CairnError } from '@cairn/errors';
import { beforeEach, expect, test } from '@jest/globals';
import type { FetchOptions } from './index.ts';
import { withExchange } from './with-exchange.ts';

const bytes = Buffer.from('remote');
const cid = cidFor(bytes, { codec: 'raw' });
const inner = createMemoryBlockstore();
let fetches: { resolve: (bytes: Uint8Array) => void; reject: (error: Error) => void; signal: AbortSignal }[];
let fetched: number[];
let errors: unknown[];
let waitMs = 10_000;
const fetch = (_: unknown, { signal }: FetchOptions = {}) =>
  new Promise<Uint8Array>((resolve, reject) => {
    if (signal) fetches.push({ resolve, reject, signal });
  });
const store = withExchange(inner, {
  waitMs: () => waitMs,
  sessionOf: () => ({ fetch }),
  isLeaf: (block) => block.bytes.length === bytes.length,
  onFetched: (_, length) => fetched.push(length),
  onError: (error) => errors.push(error),
});
beforeEach(async () => {
  [fetches, fetched, errors, waitMs] = [[], [], [], 10_000];
  await inner.delete(cid);
});

const read = () => {
  const controller = new AbortController();
  return { controller, result: store.get(cid, { signal: controller.signal }) };
};
const turn = () => new Promise((resolve) => setTimeout(resolve, 20));

test('a miss is fetched, verified and stored', async () => {
  const { result } = read();
  await turn();
  fetches[0]?.resolve(bytes);
  expect(await result).toEqual(bytes);
  expect(await inner.has(cid)).toBe(true);
  expect(fetched).toEqual([6]);
  expect(await read().result).toEqual(bytes);
  expect(fetches.length).toBe(1);
});

test('a fetched block is stored as a leaf where it has no links', async () => {
  const node = cidFor(bytes, { codec: 'dag-pb' });
  const result = store.get(node, { signal: new AbortController().signal });
  await turn();
  fetches[0]?.resolve(bytes);
  await result;
  expect(await inner.leafLengths?.([node])).toEqual([6]);
});

test('content that the exchange denies ends all reads without a wait', async () => {
  const reads = [read(), read()].map(({ result }) => result);
  await turn();
  fetches[0]?.reject(new CairnError('CONTENT_DENIED', `${cid} is blocked and cannot be provided`));
  for (const result of reads) await expect(result).rejects.toMatchObject({ code: 'CONTENT_DENIED' });
  expect(errors).toEqual([]);
});

test('equal misses share one fetch, and each reader is reported', async () => {
  const reads = Array.from({ length: 100 }, () => read().result);
  await turn();
  expect(fetches.length).toBe(1);
  fetches[0]?.resolve(bytes);
  await Promise.all(reads);
  expect(fetched.length).toBe(100);
});

test('the end of the first reader passes the fetch to the next', async () => {
  const [first, second] = [read(), read()];
  await turn();
  first.controller.abort(new Error('went away'));
  await expect(first.result).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
  await turn();
  expect(fetches.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  fetches[1]?.resolve(bytes);
  expect(await second.result).toEqual(bytes);
});

test('a block that another process stores ends the fetch', async () => {
  const { result } = read();
  await turn();
  await inner.putMany([{ cid, bytes }]);
  expect(await result).toEqual(bytes);
  expect(fetches[0]?.signal.aborted).toBe(true);
  expect(fetched).toEqual([]);
});

test('wrong bytes are neither returned nor stored', async () => {
  waitMs = 100;
  const { result } = read();
  await turn();
  fetches[0]?.resolve(Buffer.from('wrong'));
  await expect(result).rejects.toMatchObject({
    code: 'BLOCK_NOT_FOUND',
    message: expect.stringMatching(/ no node of the IPFS network supplied it within 0\.1 s\.$/),
    details: { waitedMs: 100 },
  });
  expect(await inner.has(cid)).toBe(false);
  expect(errors).toMatchObject([{ code: 'BLOCK_CORRUPT' }]);
});

test('a failed exchange leaves the wait for the local store', async () => {
  const { result } = read();
  await turn();
  fetches[0]?.reject(new Error('the peer is down'));
  await turn();
  await inner.putMany([{ cid, bytes }]);
  expect(await result).toEqual(bytes);
  expect(errors).toMatchObject([{ message: 'the peer is down' }]);
});

test('reads without a signal or a wait, has and size are local', async () => {
  await expect(store.get(cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
  waitMs = 0;
  await expect(read().result).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
  expect(await store.has(cid)).toBe(false);
  await expect(store.size(cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
  expect(fetches).toEqual([]);
});
