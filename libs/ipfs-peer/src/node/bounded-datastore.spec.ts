import { expect, test } from '@jest/globals';
import { Key } from 'interface-datastore';
import { BoundedDatastore } from './bounded-datastore.ts';

const key = (name: number) => new Key(`/peers/${name}`);

test('the entry that was used longest ago makes room', () => {
  const store = new BoundedDatastore({ entriesMax: 3, valueBytesMax: 10 });
  for (let name = 0; name < 3; name++) store.put(key(name), new Uint8Array([name]));
  store.get(key(0));
  store.put(key(3), new Uint8Array([3]));
  expect([0, 1, 2, 3].map((name) => store.has(key(name)))).toEqual([true, false, true, true]);
  expect(() => store.get(key(1))).toThrow();
});

test('100,000 entries stay within the bound, and a query lists them', async () => {
  const store = new BoundedDatastore({ entriesMax: 100, valueBytesMax: 10 });
  for (let name = 0; name < 100_000; name++) store.put(key(name), new Uint8Array(1));
  expect(store.size).toBe(100);
  const found = [];
  for await (const pair of store.query({ prefix: '/peers' })) found.push(pair.key.toString());
  expect(found).toHaveLength(100);
});

test('a larger value is not stored', () => {
  const store = new BoundedDatastore({ entriesMax: 3, valueBytesMax: 10 });
  store.put(key(0), new Uint8Array(11));
  expect(store.has(key(0))).toBe(false);
});
