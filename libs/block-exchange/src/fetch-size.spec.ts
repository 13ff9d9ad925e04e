import { createMemoryBlockstore } from '@cairn/blockstore/core';
import { cidFor } from '@cairn/cid';
import { CairnError } from '@cairn/errors';
import { beforeEach, expect, test } from '@jest/globals';
import type { Delivery } from './index.ts';
import { withExchange } from './with-exchange.ts';

const bytes = Buffer.from('remote');
const cid = cidFor(bytes, { codec: 'raw' });
const inner = createMemoryBlockstore();
let lookups: number;
let fetched: number[];
let errors: unknown[];
let mayStore: boolean;
let calls: string[];
/** Answer of the exchange to a caller that needs no bytes. */
let deliver: (signal: AbortSignal | undefined) => Promise<Delivery>;
const lookUp = inner.has.bind(inner);
inner.has = (wanted) => {
  lookups++;
  return lookUp(wanted);
};
const store = withExchange(inner, {
  waitMs: () => 10_000,
  mayStore: () => mayStore,
  sessionOf: () => ({
    fetch: async () => {
      calls.push('fetch');
      return bytes;
    },
    fetchStored: (_, { signal } = {}) => {
      calls.push('fetchStored');
      return deliver(signal);
    },
  }),
  onFetched: (_, length) => fetched.push(length),
  onError: (error) => errors.push(error),
});
const keep = () => inner.putMany([{ cid, bytes }]);
const size = ({ signal } = new AbortController()) => store.fetchSize(cid, { signal });

beforeEach(async () => {
  [fetched, errors, calls, mayStore, lookups] = [[], [], [], true, 0];
  deliver = async () => {
    await keep();
    return { storedBytes: bytes.length };
  };
  await inner.delete(cid);
});

test('a block that the exchange stores is counted, and no bytes are read', async () => {
  expect(await size()).toBe(6);
  expect([calls, fetched, errors]).toEqual([['fetchStored'], [6], []]);
});

test('a missing block is looked up once, after its fetch', async () => {
  deliver = async () => {
    expect(lookups).toBe(0);
    await keep();
    return { storedBytes: bytes.length };
  };
  await size();
  expect([lookups, errors]).toEqual([1, []]);
});

test('bytes of an exchange without a common store are verified and stored', async () => {
  deliver = async () => ({ bytes });
  expect(await size()).toBe(6);
  expect(await inner.has(cid)).toBe(true);
  expect([calls, fetched]).toEqual([['fetchStored'], [6]]);
});

test('wrong bytes are neither stored nor returned', async () => {
  deliver = async () => ({ bytes: Buffer.from('wrong') });
  const ended = new AbortController();
  const result = size(ended);
  while (errors.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  ended.abort(new Error('enough'));
  await expect(result).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
  expect(await inner.has(cid)).toBe(false);
});

test('a block that the exchange stored elsewhere is fetched', async () => {
  deliver = async () => ({ storedBytes: bytes.length });
  expect(await size()).toBe(6);
  expect(calls).toEqual(['fetchStored', 'fetch']);
  expect(await inner.has(cid)).toBe(true);
});

test('a store near its limit receives the bytes, so that its limits apply', async () => {
  mayStore = false;
  expect(await size()).toBe(6);
  expect(calls).toEqual(['fetch']);
});

test('a block that is stored before its report is counted', async () => {
  deliver = async () => {
    await keep();
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { storedBytes: bytes.length };
  };
  expect(await size()).toBe(6);
  expect(fetched).toEqual([6]);
});

test('a block of another process ends the fetch and is not counted', async () => {
  let isAborted = false;
  deliver = (signal) =>
    new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        isAborted = true;
        reject(signal.reason);
      });
    });
  const result = size();
  await keep();
  expect(await result).toBe(6);
  expect([isAborted, fetched]).toEqual([true, []]);
});

test('denied content ends the fetch', async () => {
  deliver = async () => {
    throw new CairnError('CONTENT_DENIED', `${cid} is blocked and cannot be provided`);
  };
  await expect(size()).rejects.toMatchObject({ code: 'CONTENT_DENIED' });
});
