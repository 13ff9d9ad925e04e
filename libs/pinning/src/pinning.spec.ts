import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, cidFor } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openLmdbPinStore, Pinning, type PinStore } from './index.ts';
import { describePinHistories, describePinStore } from './testing/index.ts';

const directories: string[] = [];
async function openStore(): Promise<PinStore> {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-pins-'));
  directories.push(directory);
  return await openLmdbPinStore({ directory });
}
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

describePinStore('the LMDB store', openStore);
describePinHistories('the LMDB store', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-pins-'));
  directories.push(directory);
  return [await openLmdbPinStore({ directory }), await openLmdbPinStore({ directory })];
});

let blocks = createMemoryBlockstore();
beforeEach(() => {
  blocks = createMemoryBlockstore();
});

async function put(codec: 'raw' | 'dag-cbor', bytes: Uint8Array): Promise<CID> {
  const cid = cidFor(bytes, { codec });
  await blocks.putMany([{ cid, bytes }]);
  return cid;
}
const raw = (text: string) => put('raw', Buffer.from(text));
const node = (links: readonly CID[]) => put('dag-cbor', dagCbor.encode({ deep: [{ links }], text: 'x' }));

describe('Pinning', () => {
  let pins: PinStore;
  let pinning: Pinning;
  beforeEach(async () => {
    pins = await openStore();
    pinning = new Pinning({ pins, blocks, collectable: blocks, now: () => 42 });
  });

  test('pin refuses an incomplete DAG and creates no pin', async () => {
    const leaf = await raw('leaf');
    const root = await node([leaf]);
    await blocks.delete(leaf);
    await expect(pinning.pin('a', root)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
    expect(await pinning.get('a', root)).toBeUndefined();
    await raw('leaf');
    await pinning.pin('a', root, { name: 'label' });
    expect(await pinning.get('a', root)).toMatchObject({ mode: 'recursive', name: 'label', createdAt: 42 });
    // Kubo 0.42: a pin without a name replaces one with a name.
    await pinning.pin('a', root);
    expect((await pinning.get('a', root))?.name).toBeUndefined();
    expect(await pinning.usage('a')).toEqual(await pinning.recount('a'));
    await pins.close();
  });

  test('pin with another name keeps the date and addedAs', async () => {
    const root = await node([await raw('leaf')]);
    await pinning.pin('a', root, { addedAs: 'photo.jpg' });
    const later = new Pinning({ pins, blocks, collectable: blocks, now: () => 99 });
    await later.pin('a', root, { name: 'Holidays' });
    expect(await pinning.get('a', root)).toMatchObject({ name: 'Holidays', addedAs: 'photo.jpg', createdAt: 42 });
    await later.pin('a', root, { addedAs: 'copy.jpg' });
    expect(await pinning.get('a', root)).toMatchObject({ addedAs: 'copy.jpg', createdAt: 42 });
  });

  test('pin of a root that another account has pinned reads no block', async () => {
    const root = await node([await raw('leaf')]);
    await pinning.pin('a', root);
    let reads = 0;
    const counting = Object.create(blocks, {
      sync: { value: async () => {} },
      get: {
        value: async () => {
          reads++;
          throw new Error('read');
        },
      },
    });
    await new Pinning({ pins, blocks: counting, collectable: blocks }).pin('b', root);
    expect(reads).toBe(0);
    expect(await pinning.usage('b')).toEqual(await pinning.usage('a'));
    await pins.close();
  });

  test('unpin removes pins of its account only, all or none', async () => {
    const [one, two] = [await raw('one'), await raw('two')];
    await pinning.pin('a', one);
    await pinning.pin('b', one);
    await pinning.pin('b', two);
    await expect(pinning.unpin('a', [one, two])).rejects.toMatchObject({ code: 'PIN_NOT_FOUND' });
    await pinning.unpin('a', [one, one]);
    expect(await pinning.get('a', one)).toBeUndefined();
    expect(await pinning.get('b', one)).toBeDefined();
    await pins.close();
  });

  test('a recursive pin replaces a direct one, not the reverse, and unpin checks the mode', async () => {
    const root = await node([await raw('leaf')]);
    await pinning.pin('a', root, { mode: 'direct' });
    expect((await pinning.get('a', root))?.size.blocks).toBe(1);
    await pinning.pin('a', root);
    expect((await pinning.get('a', root))?.size.blocks).toBe(2);
    await expect(pinning.pin('a', root, { mode: 'direct' })).rejects.toMatchObject({ code: 'PIN_MODE_CONFLICT' });
    await expect(pinning.unpin('a', [root], { recursive: false })).rejects.toMatchObject({ code: 'PIN_MODE_CONFLICT' });
    await pinning.unpin('a', [root]);
    expect(await pinning.usage('a')).toEqual({ pins: 0, blocks: 0, bytes: 0 });
    await expect(
      pinning.pin('a', cidFor(Buffer.from('absent'), { codec: 'raw' }), { mode: 'direct' }),
    ).rejects.toMatchObject({
      code: 'BLOCK_NOT_FOUND',
    });
    await pins.close();
  });

  test('indirect lists blocks below pins once, and findAncestorPin returns the pin', async () => {
    const [shared, own] = [await raw('shared'), await raw('own')];
    const [one, two] = [await node([shared]), await node([shared, own])];
    await pinning.pin('a', one);
    await pinning.pin('a', two);
    await pinning.pin('a', own, { mode: 'direct' });
    await pinning.pin('b', await raw('of b'));
    const found: string[] = [];
    for await (const { cid } of pinning.indirect('a')) found.push(cid.toString());
    expect(found).toEqual([shared.toString()]);
    expect([one, two].map(String)).toContain((await pinning.findAncestorPin('a', shared))?.toString());
    expect(await pinning.findAncestorPin('b', shared)).toBeUndefined();
    await pins.close();
  });

  test('verify reports incomplete pins', async () => {
    const leaf = await raw('leaf');
    const [broken, whole] = [await node([leaf]), await raw('whole')];
    await pinning.pin('a', broken);
    await pinning.pin('a', whole);
    await blocks.delete(leaf);
    const found = new Map<string, unknown>();
    for await (const { pin, error } of pinning.verify('a')) found.set(pin.cid.toString(), error);
    expect(found.get(whole.toString())).toBeUndefined();
    expect(found.get(broken.toString())).toMatchObject({ code: 'BLOCK_NOT_FOUND' });
    await pins.close();
  });
});
