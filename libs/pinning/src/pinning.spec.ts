import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { CID, cidFor } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import * as dagJson from '@ipld/dag-json';
import * as dagPb from '@ipld/dag-pb';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { linksOf, openLmdbPinStore, Pinning, type PinStore, recordDag, walkDag } from './index.ts';
import { describePinStore } from './testing/index.ts';

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

let blocks = createMemoryBlockstore();
beforeEach(() => {
  blocks = createMemoryBlockstore();
});

async function put(codec: 'raw' | 'dag-cbor' | 'dag-pb' | 'dag-json', bytes: Uint8Array): Promise<CID> {
  const cid = cidFor(bytes, { codec });
  await blocks.putMany([{ cid, bytes }]);
  return cid;
}
const raw = (text: string) => put('raw', Buffer.from(text));
const node = (links: readonly CID[]) => put('dag-cbor', dagCbor.encode({ deep: [{ links }], text: 'x' }));

describe('linksOf', () => {
  test('finds the links of each codec in order', async () => {
    const leaves = [await raw('a'), await raw('b')] as const;
    const texts = (cid: CID, bytes: Uint8Array) => linksOf(cid, bytes).map(String);
    const cbor = dagCbor.encode({ a: leaves[0], z: [leaves[1]] });
    expect(texts(await put('dag-cbor', cbor), cbor)).toEqual(leaves.map(String));
    const json = dagJson.encode([leaves[0], { x: leaves[1] }]);
    expect(texts(await put('dag-json', json), json)).toEqual(leaves.map(String));
    const pb = dagPb.encode(dagPb.prepare({ Links: leaves.map((Hash) => ({ Hash, Name: '', Tsize: 1 })) }));
    expect(texts(await put('dag-pb', pb), pb)).toEqual(leaves.map(String));
    expect(linksOf(leaves[0], Buffer.from('a'))).toEqual([]);
  });

  test('refuses other codecs and bytes that do not decode', () => {
    const bytes = Buffer.from('ff', 'hex');
    expect(() => linksOf(cidFor(bytes, { codec: 'eth-block' }), bytes)).toThrow(
      expect.objectContaining({ code: 'CODEC_UNSUPPORTED' }),
    );
    for (const codec of ['dag-cbor', 'dag-json', 'dag-pb'] as const) {
      expect(() => linksOf(cidFor(bytes, { codec }), bytes)).toThrow(expect.objectContaining({ code: 'DAG_INVALID' }));
    }
  });
});

describe('walkDag', () => {
  test('counts a shared block once, as the recorder of an import does', async () => {
    const recorder = recordDag(blocks);
    const shared = Buffer.from('shared');
    const cid = cidFor(shared, { codec: 'raw' });
    const bytes = dagCbor.encode([cid, cid]);
    const root = cidFor(bytes, { codec: 'dag-cbor' });
    await recorder.putMany([{ cid, bytes: shared }]);
    await recorder.putMany([
      { cid, bytes: shared },
      { cid: root, bytes },
    ]);
    expect(await walkDag(blocks, root)).toEqual({ blocks: 2, bytes: 6 + bytes.length });
    expect(recorder.size).toEqual(await walkDag(blocks, root));
  });

  test('names the block that is missing, stops at the limit and at the signal', async () => {
    const leaf = await raw('leaf');
    const root = await node([leaf, await raw('other')]);
    await blocks.delete(leaf);
    await expect(walkDag(blocks, root)).rejects.toMatchObject({
      code: 'BLOCK_NOT_FOUND',
      details: { cid: leaf.toString() },
    });
    await expect(walkDag(blocks, root, { blocksMax: 1 })).rejects.toMatchObject({ code: 'DAG_TOO_LARGE' });
    const reason = new Error('gone');
    await expect(walkDag(blocks, root, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test('follows a chain of 20,000 nodes without recursion', async () => {
    let cid = await raw('end');
    for (let depth = 0; depth < 20_000; depth++) cid = await node([cid]);
    expect((await walkDag(blocks, cid)).blocks).toBe(20_001);
  });
});

describe('Pinning', () => {
  let pins: PinStore;
  let pinning: Pinning;
  beforeEach(async () => {
    pins = await openStore();
    pinning = new Pinning({ pins, blocks, now: () => 42 });
  });

  test('pins only what is complete; a failed pin leaves nothing', async () => {
    const leaf = await raw('leaf');
    const root = await node([leaf]);
    await blocks.delete(leaf);
    await expect(pinning.pin('a', root)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
    expect(await pinning.get('a', root)).toBeUndefined();
    await raw('leaf');
    await pinning.pin('a', root, { name: 'label' });
    expect(await pinning.get('a', root)).toMatchObject({ mode: 'recursive', name: 'label', createdAt: 42 });
    expect(await pinning.usage('a')).toEqual(await pinning.recount('a'));
    await pins.close();
  });

  test('a second account pins a known DAG without reading its blocks', async () => {
    const root = await node([await raw('leaf')]);
    await pinning.pin('a', root);
    let reads = 0;
    const counting = {
      ...blocks,
      get: async () => {
        reads++;
        throw new Error('read');
      },
      has: () => blocks.has(root),
      size: () => blocks.size(root),
    };
    await new Pinning({ pins, blocks: counting }).pin('b', root);
    expect(reads).toBe(0);
    expect(await pinning.usage('b')).toEqual(await pinning.usage('a'));
    await pins.close();
  });

  test("unpinning touches the account's own pins only, all or none", async () => {
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

  test('modes: recursive replaces direct, not the other way round; unpinning minds them', async () => {
    const root = await node([await raw('leaf')]);
    await pinning.pin('a', root, { mode: 'direct' });
    expect((await pinning.get('a', root))?.size.blocks).toBe(1);
    await pinning.pin('a', root);
    expect((await pinning.get('a', root))?.size.blocks).toBe(2);
    await expect(pinning.pin('a', root, { mode: 'direct' })).rejects.toMatchObject({ code: 'PIN_MODE_CONFLICT' });
    await expect(pinning.unpin('a', [root], { recursive: false })).rejects.toMatchObject({ code: 'PIN_MODE_CONFLICT' });
    await pinning.unpin('a', [root]);
    expect(await pinning.usage('a')).toEqual({ pins: 0, bytes: 0 });
    await expect(
      pinning.pin('a', cidFor(Buffer.from('absent'), { codec: 'raw' }), { mode: 'direct' }),
    ).rejects.toMatchObject({
      code: 'BLOCK_NOT_FOUND',
    });
    await pins.close();
  });
});
