import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Blockstore, type CollectableBlockstore, createMemoryBlockstore } from '@cairn/blockstore';
import { CID, cidFor } from '@cairn/cid';
import { CairnError } from '@cairn/errors';
import * as dagCbor from '@ipld/dag-cbor';
import * as dagPb from '@ipld/dag-pb';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Collector, openLmdbPinStore, Pinning, type PinStore } from './index.ts';

let directory: string;
let pins: PinStore;
let blocks: CollectableBlockstore;
let pinning: Pinning;
let collector: Collector;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-collector-'));
  blocks = createMemoryBlockstore();
  pins = await openLmdbPinStore({ directory: join(directory, 'pins') });
  pinning = new Pinning({ pins, blocks, collectable: blocks });
  collector = new Collector({ pins, blocks, collectable: blocks, graceSeconds: 0 });
});
afterEach(async () => {
  await pins.close();
  await blocks.close();
  rmSync(directory, { recursive: true });
});

const blockOf = (codec: 'raw' | 'dag-cbor', bytes: Uint8Array) => ({ cid: cidFor(bytes, { codec }), bytes });
const leafOf = (text: string) => blockOf('raw', Buffer.from(text));
const nodeOf = (links: readonly CID[], text = '') => blockOf('dag-cbor', dagCbor.encode({ links, text }));
const has = (cids: readonly CID[]) => Promise.all(cids.map((cid) => blocks.has(cid)));

test('collect marks nodes that are known to have no links together, and reads none of them', async () => {
  const leaves = Array.from({ length: 600 }, (_, at) => {
    const bytes = dagPb.encode({ Data: Buffer.from(`leaf ${at}`), Links: [] });
    return { cid: cidFor(bytes, { codec: 'dag-pb', version: 0 }), bytes };
  });
  const rootBytes = dagPb.encode({ Links: leaves.map(({ cid }) => ({ Hash: cid, Name: '' })) });
  const root = { cid: cidFor(rootBytes, { codec: 'dag-pb', version: 0 }), bytes: rootBytes };
  const session = await pinning.write('alice');
  await session.store.putMany([...leaves, root]);
  await session.pin(root.cid);
  await session.end();
  const calls = { get: 0, unmarked: 0, leafLengths: 0 };
  const counted = new Proxy(blocks, {
    get(target, name) {
      if (name in calls) calls[name as keyof typeof calls]++;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const counting = new Collector({ pins, blocks: counted, collectable: counted, graceSeconds: 0 });
  expect(await counting.collect()).toMatchObject({ marked: 601, removed: 0, unreadable: [] });
  expect(calls.get).toBe(1);
  expect(calls.unmarked).toBeLessThan(10);
  expect(calls.leafLengths).toBeLessThan(10);
  expect(await has(leaves.map(({ cid }) => cid))).toEqual(Array(600).fill(true));
});

test('collect removes unreachable blocks only and reports counts', async () => {
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(leafOf) as [Leaf, Leaf, Leaf, Leaf, Leaf];
  type Leaf = ReturnType<typeof leafOf>;
  const [inner, direct, garbage] = [nodeOf([a.cid]), nodeOf([c.cid], 'direct'), nodeOf([d.cid], 'garbage')];
  const root = nodeOf([inner.cid, b.cid]);
  await blocks.putMany([a, b, c, d, e, inner, direct, garbage, root]);
  await pinning.pin('alice', root.cid);
  await pinning.pin('bob', root.cid);
  await pinning.pin('bob', direct.cid, { mode: 'direct' });
  await pinning.unpin('alice', [root.cid]);
  const sources = [
    {
      async *roots() {
        yield e.cid;
      },
    },
  ];
  const withSources = new Collector({ pins, blocks, collectable: blocks, sources, graceSeconds: 0 });
  const report = await withSources.collect();
  expect(report).toMatchObject({ roots: 2, marked: 6, removed: 3, unreadable: [] });
  expect(report.removedBytes).toBe(1 + 1 + garbage.bytes.length);
  expect(await has([a, b, e, inner, direct, root].map(({ cid }) => cid))).toEqual(Array(6).fill(true));
  expect(await has([c, d, garbage].map(({ cid }) => cid))).toEqual(Array(3).fill(false));
});

test('collect with a grace period of the cache removes the blocks of a failed fetch, and no block that is pinned or owned', async () => {
  const [fetched, pinned, own] = ['fetched', 'pinned', 'own'].map(leafOf) as [Leaf, Leaf, Leaf];
  type Leaf = ReturnType<typeof leafOf>;
  const graceful = new Collector({ pins, blocks, collectable: blocks, graceSeconds: 3600 });
  await blocks.putMany([fetched, pinned]);
  await pinning.pin('alice', pinned.cid);
  const session = await pinning.write('alice');
  await session.store.putMany([own]);
  await session.claimUnpinned();
  await session.end();
  expect(await graceful.collect()).toMatchObject({ removed: 0 });
  expect(await graceful.collect({ cacheGraceSeconds: 0 })).toMatchObject({ removed: 1, removedBytes: 7 });
  expect(await has([fetched, pinned, own].map(({ cid }) => cid))).toEqual([false, true, true]);
});

test('neither a pin nor a collection reads leaves that any writer has written', async () => {
  const leaves = ['one', 'two'].map((text) => {
    const bytes = dagPb.encode({ Data: Buffer.from(text), Links: [] });
    return { cid: cidFor(bytes, { codec: 'dag-pb' }), bytes };
  });
  const rootBytes = dagPb.encode({ Links: leaves.map(({ cid }, at) => ({ Hash: cid, Name: `${at}`, Tsize: 1 })) });
  const root = { cid: cidFor(rootBytes, { codec: 'dag-pb' }), bytes: rootBytes };
  const session = await pinning.write('alice');
  await session.store.putMany([...leaves, root]);
  await session.end();
  const reads: string[] = [];
  const recorded: Blockstore = Object.create(blocks, {
    get: { value: (cid: CID) => reads.push(`${cid}`) && blocks.get(cid) },
    size: { value: (cid: CID) => reads.push(`${cid}`) && blocks.size(cid) },
    sync: { value: blocks.sync.bind(blocks) },
  });
  const other = new Pinning({ pins, blocks: recorded, collectable: blocks });
  const pin = await other.pin('bob', root.cid);
  expect(pin.size).toEqual({ blocks: 3, bytes: [...leaves, root].reduce((sum, { bytes }) => sum + bytes.length, 0) });
  const readByPin = reads.splice(0);
  const report = await new Collector({ pins, blocks: recorded, collectable: blocks, graceSeconds: 0 }).collect();
  expect(report).toMatchObject({ marked: 3, removed: 0, unreadable: [] });
  expect([new Set(readByPin), reads]).toEqual([new Set([`${root.cid}`]), [`${root.cid}`]]);
  // A lost leaf is still reported.
  await blocks.delete(leaves[1]?.cid ?? root.cid);
  const missing = await new Collector({ pins, blocks, collectable: blocks, graceSeconds: 0 }).collect();
  expect(missing.unreadable.length).toBe(1);
  expect(await has([...leaves, root].map(({ cid }) => cid))).toEqual([true, false, true]);
});

test('collect keeps the links of a block that another account has pinned as raw', async () => {
  const leaf = leafOf('leaf');
  const inner = nodeOf([leaf.cid]);
  const root = nodeOf([inner.cid], 'root');
  await blocks.putMany([leaf, inner, root]);
  // The raw CID sorts first, so that it is marked first.
  const asRaw = CID.createV1(0x55, inner.cid.multihash);
  await pinning.pin('mallory', asRaw);
  await pinning.pin('mallory', inner.cid, { mode: 'direct' });
  await pinning.pin('alice', root.cid);
  await collector.collect();
  expect(await has([leaf.cid])).toEqual([true]);
});

test('collect keeps recent blocks and blocks that a session wrote or walked', async () => {
  const [recent, written, old] = [leafOf('recent'), leafOf('written'), leafOf('old')];
  await blocks.putMany([recent, old]);
  expect(await new Collector({ pins, blocks, collectable: blocks }).collect()).toMatchObject({ removed: 0 });
  const session = await pinning.write('alice');
  await session.store.putMany([written]);
  await session.touch(old.cid);
  expect(await collector.collect()).toMatchObject({ removed: 1 });
  expect(await has([recent.cid, written.cid, old.cid])).toEqual([false, true, true]);
  await session.end();
  expect(await collector.collect()).toMatchObject({ removed: 2 });
});

test('collectFor removes blocks of one account without grace and reports only these', async () => {
  const [own, shared, others] = ['own', 'shared', 'others'].map(leafOf) as [Leaf, Leaf, Leaf];
  type Leaf = ReturnType<typeof leafOf>;
  for (const [account, written] of [
    ['alice', [own, shared]],
    ['bob', [shared, others]],
  ] as const) {
    const session = await pinning.write(account);
    await session.store.putMany(written);
    await session.pin(written[0].cid);
    await session.end();
    await pinning.unpin(account, [written[0].cid]);
  }
  const graceful = new Collector({ pins, blocks, collectable: blocks });
  const removed: string[] = [];
  const onRemoved = (cids: readonly CID[]) => removed.push(...cids.map(String));
  expect(await graceful.collectFor('alice', { onRemoved })).toEqual({ removed: 1, unreadable: [] });
  expect(removed).toEqual([own.cid.toString()]);
  expect(await has([own.cid, shared.cid, others.cid])).toEqual([false, true, true]);
});

test('collectFor with leftoversOnly keeps blocks of successful writes', async () => {
  const reported = leafOf('reported');
  const left = leafOf('left');
  const session = await pinning.write('alice');
  await session.store.putMany([reported]);
  await session.claimUnpinned();
  await session.end();
  const failed = await pinning.write('alice');
  await failed.store.putMany([left]);
  await failed.end();
  expect(await collector.collectFor('alice', { leftoversOnly: true })).toEqual({ removed: 1, unreadable: [] });
  expect(await has([reported.cid, left.cid])).toEqual([true, false]);
  expect(await collector.collectFor('alice')).toMatchObject({ removed: 1 });
});

test('collections and discards fail with the error of a store that does not answer, and keep released roots', async () => {
  const [leaf, released, garbage] = [leafOf('leaf'), leafOf('released'), leafOf('garbage')];
  const [root, former] = [nodeOf([leaf.cid]), nodeOf([released.cid])];
  const session = await pinning.write('alice');
  await session.store.putMany([leaf, released, root, former, garbage]);
  await session.pin(root.cid);
  await session.pin(former.cid);
  await session.claimUnpinned();
  await session.end();
  await pinning.unpin('alice', [former.cid]);
  const away = new CairnError('OBJECT_STORE_UNAVAILABLE', 'The bucket does not answer.');
  const broken: Blockstore = Object.create(blocks, {
    get: { value: () => Promise.reject(away) },
    has: { value: (cid: CID) => blocks.has(cid) },
  });
  const stores = { pins, blocks: broken, collectable: blocks };
  const failing = new Collector({ ...stores, graceSeconds: 0 });
  await expect(failing.collectFor('alice')).rejects.toBe(away);
  await expect(failing.collect()).rejects.toBe(away);
  await expect(new Pinning(stores).discard('alice', [garbage.cid])).rejects.toBe(away);
  expect(await has([released.cid, garbage.cid])).toEqual([true, true]);
  expect(await collector.collectFor('alice')).toEqual({ removed: 3, unreadable: [] });
});

test('collect removes nothing while a pinned DAG is unreadable, and names its root', async () => {
  const leaf = leafOf('leaf');
  const inner = nodeOf([leaf.cid]);
  const root = nodeOf([inner.cid], 'root');
  const garbage = leafOf('garbage');
  await blocks.putMany([leaf, inner, root, garbage]);
  await pinning.pin('alice', root.cid);
  await blocks.quarantine(inner.cid);
  const report = await collector.collect();
  expect(report).toMatchObject({ removed: 0, unreadable: [{ root: root.cid.toString() }] });
  expect(await has([leaf.cid, garbage.cid])).toEqual([true, true]);
  await blocks.putMany([inner]);
  expect(await collector.collect()).toMatchObject({ removed: 1, unreadable: [] });
  expect(await has([leaf.cid])).toEqual([true]);
});

test('collect refuses a second run, and resumes an aborted one', async () => {
  const lock = await pins.tryLockCollection();
  await expect(collector.collect()).rejects.toMatchObject({ code: 'COLLECTION_BUSY' });
  await lock?.release();
  const garbage = leafOf('garbage');
  await blocks.putMany([garbage]);
  const reason = new Error('shutting down');
  await expect(collector.collect({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const cycle = await blocks.cycle();
  expect(await collector.collect()).toMatchObject({ cycle, removed: 1 });
  expect((await collector.collect()).cycle).toBe(cycle + 1);
});

test('work without a collection runs under the lease, and is refused while a collection runs', async () => {
  let begun = 0;
  const held: unknown[] = [];
  await collector.runExclusively(async () => {
    held.push(await pins.tryLockCollection());
    await expect(collector.collect()).rejects.toMatchObject({ code: 'COLLECTION_BUSY' });
    const again = collector.runExclusively(async () => void begun++);
    await expect(again).rejects.toMatchObject({ code: 'COLLECTION_BUSY' });
  });
  expect([held, begun]).toEqual([[undefined], 0]);
  await collector.collect();
});

test('work after a collection runs under its lease', async () => {
  const held: unknown[] = [];
  await collector.collect({ afterwards: async () => void held.push(await pins.tryLockCollection()) });
  expect(held).toEqual([undefined]);
  const lock = await pins.tryLockCollection();
  expect(lock).toBeDefined();
  await lock?.release();
});

test('collect reads no raw leaves and no subtree twice', async () => {
  const leaves = Array.from({ length: 50 }, (_, n) => leafOf(`leaf ${n}`));
  const shared = nodeOf(leaves.map(({ cid }) => cid));
  const roots = Array.from({ length: 20 }, (_, n) => nodeOf([shared.cid, shared.cid], `root ${n}`));
  await blocks.putMany([...leaves, shared, ...roots]);
  for (const { cid } of roots) await pinning.pin('alice', cid);
  const read: string[] = [];
  const counting = Object.create(blocks, {
    get: {
      value: (cid: CID) => {
        read.push(cid.toString());
        return blocks.get(cid);
      },
    },
  });
  await new Collector({ pins, blocks: counting, collectable: blocks, graceSeconds: 0 }).collect();
  expect(read.length).toBe(21);
  expect(new Set(read).size).toBe(21);
});
