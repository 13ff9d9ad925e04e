import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, cidFor } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openLmdbPinStore, Pinning, type PinStore } from './index.ts';

const directory = mkdtempSync(join(tmpdir(), 'cairn-pins-'));
const blocks = createMemoryBlockstore();
let pins: PinStore;
let pinning: Pinning;
beforeAll(async () => {
  pins = await openLmdbPinStore({ directory });
  pinning = new Pinning({ pins, blocks, collectable: blocks });
});
afterAll(async () => {
  await pins.close();
  rmSync(directory, { recursive: true });
});

async function put(codec: 'raw' | 'dag-cbor', bytes: Uint8Array): Promise<CID> {
  const cid = cidFor(bytes, { codec });
  await blocks.putMany([{ cid, bytes }]);
  return cid;
}
const node = (links: readonly CID[]) => put('dag-cbor', dagCbor.encode(links));

describe('pinMany', () => {
  test('pins DAGs of one block and of several blocks', async () => {
    const session = await pinning.write('many');
    const leaves = Array.from({ length: 50 }, (_, index) => Buffer.from(`leaf ${index} of many`));
    const singles = leaves.map((bytes) => ({ cid: cidFor(bytes, { codec: 'raw' }), bytes }));
    await session.store.putMany(singles);
    const inner = await node(singles.map(({ cid }) => cid));
    const cids = singles.map(({ cid }) => cid);
    await session.pinMany([...cids, inner, ...cids], { name: 'all' });
    await session.claimUnpinned();
    await session.end();
    const listed = [];
    for await (const pin of pinning.list('many')) listed.push(pin);
    expect(listed.length).toBe(51);
    expect(new Set(listed.map(({ mode, name }) => `${mode} ${name}`))).toEqual(new Set(['recursive all']));
    expect(await pinning.usage('many')).toEqual(await pinning.recount('many'));
    expect(await pinning.claimed('many')).toEqual({ blocks: 0, bytes: 0 });
  });

  test('sets addedAs, and a later call with a name changes neither addedAs nor the date', async () => {
    const single = await put('raw', Buffer.from('a file of one block'));
    const inner = await node([single]);
    const session = await pinning.write('named');
    const addedAs = new Map([
      [single.toString(), 'one.txt'],
      [inner.toString(), 'folder'],
    ]);
    await session.pinMany([single, inner], { addedAs });
    const before = await pinning.get('named', single);
    await session.pinMany([single, inner], { name: 'label' });
    await session.end();
    const named = { name: 'label', createdAt: before?.createdAt };
    expect(await pinning.get('named', single)).toMatchObject({ ...named, addedAs: 'one.txt' });
    expect(await pinning.get('named', inner)).toMatchObject({ name: 'label', addedAs: 'folder' });
  });

  test('pins no single block if the quota has no room for all of them', async () => {
    const blocksOf = ['one of two', 'two of two'].map((text) => Buffer.from(text));
    const cids = [];
    for (const bytes of blocksOf) cids.push(await put('raw', bytes));
    const session = await pinning.write('full', { quotaBytes: 15 });
    await expect(session.pinMany(cids)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await session.end();
    expect((await pinning.usage('full')).pins).toBe(0);
  });

  test('refuses a block that is not stored', async () => {
    const session = await pinning.write('missing');
    const missing = cidFor(Buffer.from('never written by any test'), { codec: 'raw' });
    await expect(session.pinMany([missing])).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
    await session.end();
  });
});
