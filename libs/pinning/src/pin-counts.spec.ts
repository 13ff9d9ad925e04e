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
const [kept, garbage] = [leaf('kept'), leaf('garbage')];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-pin-counts-'));
  pins = await openLmdbPinStore({ directory });
  await blocks.putMany([kept, garbage]);
  const pinning = new Pinning({ pins, blocks, collectable: blocks });
  for (const account of ['ann', 'bob']) await pinning.pin(account, kept.cid);
});
afterEach(async () => {
  await pins.close();
  rmSync(directory, { recursive: true });
});

const collector = () => new Collector({ pins, blocks, collectable: blocks, graceSeconds: 0 });

/** Changes a table alone, as a lost or stale page would. */
async function change(table: string, edit: (database: Database) => void): Promise<void> {
  const environment = await Environment.open({ directory, format: pinsFormat });
  await environment.transaction(() => edit(environment.database(table)));
  await environment.close();
}

const edits: readonly (readonly [string, string, (database: Database) => void])[] = [
  ['a pin without its usage', 'pins', (pinned) => pinned.remove(firstKey(pinned))],
  [
    'a usage without its pins',
    'usage',
    (usage) => {
      const key = firstKey(usage);
      usage.put(key, encode({ ...decode<Usage>(usage.get(key) ?? encode({})), pins: 7 }));
    },
  ],
  ['an account without usage', 'usage', (usage) => usage.remove(firstKey(usage))],
  ['a root that is not there', 'roots', (roots) => roots.remove(firstKey(roots))],
  [
    'a root that counts too few accounts',
    'roots',
    (roots) => {
      const key = firstKey(roots);
      roots.put(key, encode({ ...decode<RootRecord>(roots.get(key) ?? encode({})), count: 1 }));
    },
  ],
];

test.each(edits)('a collection refuses %s and removes nothing', async (_, table, edit) => {
  await change(table, edit);
  await expect(collector().collect()).rejects.toMatchObject({
    code: 'STORE_CORRUPT',
    message: expect.stringContaining(directory),
  });
  expect(await blocks.has(garbage.cid)).toBe(true);
  expect(await blocks.has(kept.cid)).toBe(true);
});

test('a collection of an account refuses pins that its usage does not count', async () => {
  await change('pins', (pinned) => pinned.remove(firstKey(pinned)));
  await expect(collector().collectFor('ann')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  await expect(collector().collectFor('bob')).resolves.toMatchObject({ removed: 0 });
});

test('counts agree after any writes, and while others write', async () => {
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
  throw new Error('there is no record');
}
