import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { Key } from 'interface-datastore';
import { DhtDatastore, type DhtDatastoreOptions } from './dht-datastore.ts';

const home = mkdtempSync(join(tmpdir(), 'cairn-dht-'));
let store: DhtDatastore;
let time = 1000;
const open = async (options: Partial<DhtDatastoreOptions> = {}) => {
  const directory = mkdtempSync(join(home, 'store-'));
  store = await DhtDatastore.open({ directory, now: () => time++, ...options });
  return store;
};
beforeEach(() => {
  time = 1000;
});
afterEach(() => store.close());
afterAll(() => rmSync(home, { recursive: true, force: true }));

const providerKey = (cid: string, peer: string) => new Key(`/dht/provider/${cid}/${peer}`);
const names = async (prefix: string) => {
  const found: string[] = [];
  for await (const { key } of store.query({ prefix })) found.push(key.toString());
  return found;
};

test('records of the DHT and other keys are read back', async () => {
  await open();
  await store.put(providerKey('a', 'p'), Uint8Array.of(1));
  await store.put(providerKey('ab', 'q'), Uint8Array.of(2));
  await store.put(new Key('/dht/record/x'), Uint8Array.of(3));
  await store.put(new Key('/peers/z'), Uint8Array.of(4));
  expect(await store.get(providerKey('a', 'p'))).toEqual(Buffer.of(1));
  expect(await store.get(new Key('/peers/z'))).toEqual(Uint8Array.of(4));
  expect(await names('/dht/provider/a/')).toEqual(['/dht/provider/a/p']);
  expect(await names('/dht/provider')).toEqual(['/dht/provider/a/p', '/dht/provider/ab/q']);
  expect((await names('/')).sort()).toEqual(['/dht/provider/a/p', '/dht/provider/ab/q', '/dht/record/x', '/peers/z']);
  await store.delete(providerKey('a', 'p'));
  expect(await store.has(providerKey('a', 'p'))).toBe(false);
  await expect(store.get(providerKey('a', 'p'))).rejects.toMatchObject({ name: 'NotFoundError' });
});

test('one peer cannot store more records than its limit, and can renew those that it has', async () => {
  await open({ peerRecordsMax: 3 });
  for (let at = 0; at < 10; at++) await store.put(providerKey(`c${at}`, 'storm'), Uint8Array.of(at));
  await store.put(providerKey('c0', 'other'), Uint8Array.of(7));
  await store.put(providerKey('c1', 'storm'), Uint8Array.of(9));
  expect(await names('/dht/provider')).toEqual([
    '/dht/provider/c0/other',
    '/dht/provider/c0/storm',
    '/dht/provider/c1/storm',
    '/dht/provider/c2/storm',
  ]);
  expect(await store.get(providerKey('c1', 'storm'))).toEqual(Buffer.of(9));
  await store.delete(providerKey('c1', 'storm'));
  await store.put(providerKey('c5', 'storm'), Uint8Array.of(5));
  expect(await store.has(providerKey('c5', 'storm'))).toBe(true);
});

test('many peers replace the oldest records and not values', async () => {
  await open({ recordsMax: 50, valuesMax: 4, valueBytesMax: 100 });
  for (let at = 0; at < 10; at++) await store.put(new Key(`/dht/record/v${at}`), Uint8Array.of(at));
  await store.put(new Key('/dht/record/large'), new Uint8Array(101));
  for (let at = 0; at < 500; at++) await store.put(providerKey(`c${at}`, `peer${at}`), Uint8Array.of(1));
  expect(await names('/dht/record')).toEqual([6, 7, 8, 9].map((at) => `/dht/record/v${at}`));
  expect(await names('/dht/provider')).toHaveLength(50);
  expect(await store.has(providerKey('c499', 'peer499'))).toBe(true);
  expect(await store.has(providerKey('c0', 'peer0'))).toBe(false);
});

test('a store of more than one page is listed completely', async () => {
  await open();
  for (let at = 0; at < 600; at++) await store.put(providerKey(`c${at}`, 'p'), Uint8Array.of(1));
  expect(new Set(await names('/dht/provider')).size).toBe(600);
  expect(store.count()).toBe(600);
});
