import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, cidFor } from '@cairn/cid';
import * as dagPb from '@ipld/dag-pb';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openLmdbPinStore, Pinning, type PinStore } from './index.ts';

let directory: string;
let blocks = createMemoryBlockstore();
let pins: PinStore;
let pinning: Pinning;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-sessions-'));
  blocks = createMemoryBlockstore();
  pins = await openLmdbPinStore({ directory });
  pinning = new Pinning({ pins, blocks, collectable: blocks });
});
afterEach(async () => {
  await pins.close();
  rmSync(directory, { recursive: true });
});

describe('WriteSession', () => {
  const block = (length: number, fill: string) => {
    const bytes = Buffer.alloc(length, fill);
    return { cid: cidFor(bytes, { codec: 'raw' }), bytes };
  };

  test('refuses bytes beyond the quota across all open sessions of the account', async () => {
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
    // Blocks of a session that ended without a pin no longer count.
    await second.end();
    await first.store.putMany([block(1, '1')]);
    for (const session of [first, second, other]) await session.end();
    await expect(pinning.pin('a', block(41, 'y').cid, { quotaBytes: 100 })).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
  });

  test('a pin of stored blocks does not fail with the writes of other sessions after it was made', async () => {
    const stored = block(10, 's');
    await blocks.putMany([stored]);
    const calls: string[] = [];
    const failing = Object.create(blocks, {
      sync: { value: async () => void calls.push('sync') },
      putMany: { value: blocks.putMany.bind(blocks) },
      get: { value: blocks.get.bind(blocks) },
      size: { value: blocks.size.bind(blocks) },
      has: { value: blocks.has.bind(blocks) },
    });
    const recorded: PinStore = Object.create(pins, {
      put: {
        value: (...args: Parameters<PinStore['put']>) => {
          calls.push('put');
          return pins.put(...args);
        },
      },
      get: { value: pins.get.bind(pins) },
      usage: { value: pins.usage.bind(pins) },
      putKnownRoot: { value: pins.putKnownRoot.bind(pins) },
    });
    const session = await new Pinning({ pins: recorded, blocks: failing, collectable: blocks }).write('a');
    expect(session.hasCommitted).toBe(false);
    await session.pin(stored.cid);
    await session.claimUnpinned();
    await session.end();
    // Blocks that another session is writing are durable before the pin, and no sync follows it.
    expect(calls).toEqual(['sync', 'put']);
    expect(session.hasCommitted).toBe(true);
    calls.length = 0;
    const writer = await new Pinning({ pins: recorded, blocks: failing, collectable: blocks }).write('a');
    await writer.store.putMany([block(11, 'w')]);
    await writer.pin(block(11, 'w').cid);
    await writer.claimUnpinned();
    await writer.end();
    expect(calls).toEqual(['sync', 'put']);
  });

  test('after a failed sync each further one fails immediately, and the end waits for no other attempt', async () => {
    const failure = new Error('the store does not answer');
    const calls: unknown[] = [];
    const failing = Object.create(blocks, {
      sync: {
        value: async () => {
          calls.push('sync');
          throw failure;
        },
      },
      putMany: { value: blocks.putMany.bind(blocks) },
    });
    const collectable = Object.create(blocks, {
      hold: { value: blocks.hold.bind(blocks) },
      claimMany: { value: async (_: unknown, _owner: number, options: unknown) => void calls.push(options) },
    });
    const session = await new Pinning({ pins, blocks: failing, collectable }).write('a');
    await session.store.putMany([block(10, 'n')]);
    for (let attempt = 0; attempt < 3; attempt++) await expect(session.store.sync()).rejects.toBe(failure);
    await session.store.putMany([block(10, 'o')]);
    await expect(session.pin(block(10, 'o').cid)).rejects.toBe(failure);
    expect(await session.end()).toEqual({ leftovers: 2 });
    expect(calls).toEqual(['sync', { isLeftover: true, isBestEffort: true }]);
  });

  test('a pin reads no leaf that its session wrote, and still requires that each is stored', async () => {
    const [file, ...leaves] = Array.from({ length: 21 }, (_, at) => {
      const bytes = dagPb.encode({ Data: Buffer.from(`leaf ${at}`), Links: [] });
      return { cid: cidFor(bytes, { codec: 'dag-pb', version: 0 }), bytes };
    });
    const rootBytes = dagPb.encode({
      Links: leaves.map(({ cid, bytes }) => ({ Hash: cid, Name: '', Tsize: bytes.length })),
    });
    const root = { cid: cidFor(rootBytes, { codec: 'dag-pb', version: 0 }), bytes: rootBytes };
    const reads: string[] = [];
    const recorded = Object.create(blocks, {
      get: { value: (cid: CID) => reads.push(`${cid}`) && blocks.get(cid) },
      size: { value: (cid: CID) => reads.push(`${cid}`) && blocks.size(cid) },
      putMany: { value: blocks.putMany.bind(blocks) },
      sync: { value: blocks.sync.bind(blocks) },
    });
    const session = await new Pinning({ pins, blocks: recorded, collectable: blocks }).write('a');
    await session.store.putMany([...leaves, file ?? root, root]);
    await session.pinMany([file?.cid ?? root.cid, root.cid]);
    // Once to learn that it has links, once by the walk.
    expect(reads).toEqual([`${root.cid}`, `${root.cid}`]);
    expect((await pinning.get('a', root.cid))?.size).toEqual({
      blocks: 21,
      bytes: [...leaves, root].reduce((sum, { bytes }) => sum + bytes.length, 0),
    });
    expect(await pinning.usage('a')).toEqual(await pinning.recount('a'));
    await session.end();
    const later = await pinning.write('b');
    await later.store.putMany([...leaves, root]);
    await blocks.delete(leaves[7]?.cid ?? root.cid);
    await expect(later.pin(root.cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
    await later.end();
  });

  test('reserve counts bytes against the quota, including written ones', async () => {
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
  });

  test('discard removes only blocks that no root of the account retains', async () => {
    const retained = block(10, 'h');
    const roots = (account: string) => (account === 'a' ? [retained.cid] : []);
    const source = {
      async *roots() {},
      async *rootsOf(account: string) {
        yield* roots(account);
      },
    };
    const withSource = new Pinning({ pins, blocks, collectable: blocks, sources: [source] });
    const session = await withSource.write('a');
    await session.store.putMany([retained, block(10, 'p'), block(10, 'f')]);
    await session.pin(block(10, 'p').cid);
    await session.end();
    const [pinned, free] = [block(10, 'p').cid, block(10, 'f').cid];
    expect(await withSource.discard('a', [retained.cid, pinned, free])).toEqual([
      { reason: expect.stringMatching(/in the files/) },
      { reason: 'pinned: recursive' },
      'discarded',
    ]);
    expect(await blocks.has(free)).toBe(false);
    expect(await withSource.discard('a', [free])).toEqual(['absent']);
  });

  test('counts the bytes of root sources against the quota', async () => {
    const sources = [{ async *roots() {}, bytesOf: async (account: string) => (account === 'a' ? 90 : 0) }];
    const counting = new Pinning({ pins, blocks, collectable: blocks, sources });
    const [a, b] = [await counting.write('a', { quotaBytes: 100 }), await counting.write('b', { quotaBytes: 100 })];
    await expect(a.store.putMany([block(11, 'x')])).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await b.store.putMany([block(11, 'x')]);
    for (const session of [a, b]) await session.end();
  });
});
