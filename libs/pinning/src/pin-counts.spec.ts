import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { type Database, Environment } from '@cairn/embedded-store';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Collector, openLmdbPinStore, Pinning, type PinStore, pinsFormat } from './index.ts';
import { decode, encode, type RootRecord } from './pin-records.ts';
import type { Usage } from './pin-store.ts';

let directory: string;
let pins: PinStore;
const blocks = createMemoryBlockstore();
const leaf = (text: string) => ({ cid: cidFor(Buffer.from(text), { codec: 'raw' }), bytes: Buffer.from(text) });
const [pinned, garbage] = [leaf('pinned'), leaf('garbage')];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-pin-counts-'));
  pins = await openLmdbPinStore({ directory });
  await blocks.putMany([pinned, garbage]);
  const pinning = new Pinning({ pins, blocks, collectable: blocks });
  for (const account of ['ann', 'bob']) await pinning.pin(account, pinned.cid);
});
afterEach(async () => {
  await pins.close();
  rmSync(directory, { recursive: true });
});

const collector = () => new Collector({ pins, blocks, collectable: blocks, graceSeconds: 0 });

/** Changes one table only, as a lost or stale page would. */
async function change(table: string, edit: (database: Database) => void): Promise<void> {
  const environment = await Environment.open({ directory, format: pinsFormat });
  await environment.transaction(() => edit(environment.database(table)));
  await environment.close();
}

const edits: readonly (readonly [string, string, (database: Database) => void])[] = [
  ['a missing pin', 'pins', (pins_) => pins_.remove(firstKey(pins_))],
  [
    'a usage that counts too many pins',
    'usage',
    (usage) => {
      const key = firstKey(usage);
      usage.put(key, encode({ ...decode<Usage>(usage.get(key) ?? encode({})), pins: 7 }));
    },
  ],
  ['a missing usage', 'usage', (usage) => usage.remove(firstKey(usage))],
  ['a missing root', 'roots', (roots) => roots.remove(firstKey(roots))],
  [
    'a root that counts too few accounts',
    'roots',
    (roots) => {
      const key = firstKey(roots);
      roots.put(key, encode({ ...decode<RootRecord>(roots.get(key) ?? encode({})), count: 1 }));
    },
  ],
];

test.each(edits)('collect refuses %s and removes nothing', async (_, table, edit) => {
  await change(table, edit);
  await expect(collector().collect()).rejects.toMatchObject({
    code: 'STORE_CORRUPT',
    message: expect.stringContaining(directory),
  });
  expect(await blocks.has(garbage.cid)).toBe(true);
  expect(await blocks.has(pinned.cid)).toBe(true);
});

test('collectFor refuses pins that differ from the usage of the account', async () => {
  await change('pins', (table) => table.remove(firstKey(table)));
  await expect(collector().collectFor('ann')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  await expect(collector().collectFor('bob')).resolves.toMatchObject({ removed: 0 });
});

test('assertConsistent accepts the counts during and after concurrent writes', async () => {
  const writes = Array.from({ length: 50 }, async (_, index) => {
    const size = { blocks: 1, bytes: 1 };
    await pins.put(`account ${index % 5}`, [{ ...leaf(String(index)), mode: 'direct', name: '', createdAt: 1, size }]);
  });
  await pins.assertConsistent();
  await Promise.all(writes);
  await pins.assertConsistent();
  for (let index = 0; index < 5; index++) await pins.assertConsistent({ account: `account ${index}` });
});

function firstKey(database: Database): Uint8Array {
  for (const key of database.keys()) return key;
  throw new Error('the table is empty');
}
