import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { CID, cidFor } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import * as dagJson from '@ipld/dag-json';
import * as dagPb from '@ipld/dag-pb';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { linksOf, openLmdbPinStore, Pinning, type PinStore, walkDag } from './index.ts';
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
    const texts = async (cid: CID, bytes: Uint8Array) => [...(await linksOf(cid, bytes))].map(String);
    const cbor = dagCbor.encode({ a: leaves[0], z: [leaves[1]] });
    expect(await texts(await put('dag-cbor', cbor), cbor)).toEqual(leaves.map(String));
    const json = dagJson.encode([leaves[0], { x: leaves[1] }]);
    expect(await texts(await put('dag-json', json), json)).toEqual(leaves.map(String));
    const pb = dagPb.encode(dagPb.prepare({ Links: leaves.map((Hash) => ({ Hash, Name: '', Tsize: 1 })) }));
    expect(await texts(await put('dag-pb', pb), pb)).toEqual(leaves.map(String));
    expect(await texts(leaves[0], Buffer.from('a'))).toEqual([]);
  });

  test('refuses other codecs and bytes that do not decode', async () => {
    const bytes = Buffer.from('ff', 'hex');
    await expect(linksOf(cidFor(bytes, { codec: 'eth-block' }), bytes)).rejects.toMatchObject({
      code: 'CODEC_UNSUPPORTED',
    });
    for (const codec of ['dag-cbor', 'dag-json', 'dag-pb'] as const) {
      await expect(linksOf(cidFor(bytes, { codec }), bytes)).rejects.toMatchObject({ code: 'DAG_INVALID' });
    }
  });
});

describe('walkDag', () => {
  test('counts a shared block once, and follows the links of each codec it is named with', async () => {
    const leaf = await raw('leaf');
    const bytes = dagCbor.encode([leaf]);
    const inner = await put('dag-cbor', bytes);
    const asRaw = CID.createV1(0x55, inner.multihash);
    const root = await node([asRaw, inner, inner]);
    const { length } = await blocks.get(root);
    expect(await walkDag(blocks, root)).toEqual({ blocks: 3, bytes: 4 + bytes.length + length });
    await blocks.delete(leaf);
    await expect(walkDag(blocks, root)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
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

  test('reads the links of nodes with more values than a call takes arguments', async () => {
    const leaf = await raw('leaf');
    for (const codec of ['dag-cbor', 'dag-json'] as const) {
      const values = [...Array.from({ length: 400_000 }, () => 0), leaf];
      const root = await put(codec, codec === 'dag-cbor' ? dagCbor.encode(values) : dagJson.encode(values));
      expect((await walkDag(blocks, root)).blocks).toBe(2);
    }
  });

  test('lets others have their turn within wide nodes and between many', async () => {
    const leaf = await raw('leaf');
    const nodes: CID[] = [];
    for (let n = 0; n < 200; n++)
      nodes.push(await put('dag-cbor', dagCbor.encode([n, ...Array.from({ length: 600 }, () => leaf)])));
    const root = await node(nodes);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await walkDag(blocks, root);
    isDone = true;
    expect(turns).toBeGreaterThan(1);
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
    pinning = new Pinning({ pins, blocks, collectable: blocks, now: () => 42 });
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
    // As Kubo 0.42: a pin without a name takes the place of one with a name.
    await pinning.pin('a', root);
    expect((await pinning.get('a', root))?.name).toBeUndefined();
    expect(await pinning.usage('a')).toEqual(await pinning.recount('a'));
    await pins.close();
  });

  test('a pin that gets another name keeps its date and the name of its add', async () => {
    const root = await node([await raw('leaf')]);
    await pinning.pin('a', root, { addedAs: 'photo.jpg' });
    const later = new Pinning({ pins, blocks, collectable: blocks, now: () => 99 });
    await later.pin('a', root, { name: 'Holidays' });
    expect(await pinning.get('a', root)).toMatchObject({ name: 'Holidays', addedAs: 'photo.jpg', createdAt: 42 });
    await later.pin('a', root, { addedAs: 'copy.jpg' });
    expect(await pinning.get('a', root)).toMatchObject({ addedAs: 'copy.jpg', createdAt: 42 });
  });

  test('a second account pins a known DAG without reading its blocks', async () => {
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
    expect(await pinning.usage('a')).toEqual({ pins: 0, blocks: 0, bytes: 0 });
    await expect(
      pinning.pin('a', cidFor(Buffer.from('absent'), { codec: 'raw' }), { mode: 'direct' }),
    ).rejects.toMatchObject({
      code: 'BLOCK_NOT_FOUND',
    });
    await pins.close();
  });

  test('streams what is pinned indirectly, once, and finds through what', async () => {
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

  test('verify names the pins that are not whole any more', async () => {
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

  describe('a write session', () => {
    const block = (length: number, fill: string) => {
      const bytes = Buffer.alloc(length, fill);
      return { cid: cidFor(bytes, { codec: 'raw' }), bytes };
    };

    test('refuses bytes beyond the quota while they stream in, over all open sessions of the account', async () => {
      const first = await pinning.write('a', { quotaBytes: 100 });
      const second = await pinning.write('a', { quotaBytes: 100 });
      const other = await pinning.write('b', { quotaBytes: 100 });
      await first.store.putMany([block(60, 'x'), block(60, 'x')]);
      await first.store.putMany([block(60, 'x')]);
      await expect(second.store.putMany([block(41, 'y')])).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
      expect(await blocks.has(block(41, 'y').cid)).toBe(false);
      await other.store.putMany([block(41, 'y')]);
      await second.store.putMany([block(40, 'z')]);
      await first.pin(block(60, 'x').cid);
      expect(await pinning.usage('a')).toEqual({ pins: 1, blocks: 1, bytes: 60 });
      await expect(first.store.putMany([block(1, '1')])).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
      // Ended without a pin, what it wrote counts no longer.
      await second.end();
      await first.store.putMany([block(1, '1')]);
      for (const session of [first, second, other]) await session.end();
      await expect(pinning.pin('a', block(41, 'y').cid, { quotaBytes: 100 })).rejects.toMatchObject({
        code: 'QUOTA_EXCEEDED',
      });
      await pins.close();
    });

    test('reserves what is kept by other means than a pin, what was written included', async () => {
      const [session, other] = [
        await pinning.write('a', { quotaBytes: 100 }),
        await pinning.write('a', { quotaBytes: 100 }),
      ];
      await session.store.putMany([block(60, 'x')]);
      await session.reserve(50);
      await session.reserve(80);
      await expect(other.store.putMany([block(21, 'y')])).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
      await expect(session.reserve(101)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
      await session.end();
      await other.reserve(100);
      await other.end();
      await pins.close();
    });

    test('lets go of a block only where nothing of the account holds it', async () => {
      const held = block(10, 'h');
      const roots = (account: string) => (account === 'a' ? [held.cid] : []);
      const source = {
        async *roots() {},
        async *rootsOf(account: string) {
          yield* roots(account);
        },
      };
      const mine = new Pinning({ pins, blocks, collectable: blocks, sources: [source] });
      const session = await mine.write('a');
      await session.store.putMany([held, block(10, 'p'), block(10, 'f')]);
      await session.pin(block(10, 'p').cid);
      await session.end();
      const [pinned, free] = [block(10, 'p').cid, block(10, 'f').cid];
      expect(await mine.discard('a', [held.cid, pinned, free])).toEqual([
        { reason: expect.stringMatching(/in the files/) },
        { reason: 'pinned: recursive' },
        'discarded',
      ]);
      expect(await blocks.has(free)).toBe(false);
      expect(await mine.discard('a', [free])).toEqual(['absent']);
      await pins.close();
    });

    test('counts what the account holds elsewhere', async () => {
      const sources = [{ async *roots() {}, bytesOf: async (account: string) => (account === 'a' ? 90 : 0) }];
      const counting = new Pinning({ pins, blocks, collectable: blocks, sources });
      const [a, b] = [await counting.write('a', { quotaBytes: 100 }), await counting.write('b', { quotaBytes: 100 })];
      await expect(a.store.putMany([block(11, 'x')])).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
      await b.store.putMany([block(11, 'x')]);
      for (const session of [a, b]) await session.end();
      await pins.close();
    });
  });
});
