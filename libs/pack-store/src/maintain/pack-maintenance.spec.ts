import { rawBlock } from '@cairn/blockstore/testing';
import { createMemoryObjectStore, type MemoryObjectStore } from '@cairn/object-store/testing';
import { openPostgres, type Postgres } from '@cairn/postgres';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { auditIndex } from '../index/audit.fixture.ts';
import { openPackBlockstore, type PackStore } from '../index.ts';

const blocks = Array.from({ length: 10 }, (_, n) => rawBlock(`${n}`.repeat(1000)));
const hour = 3600;

describeWithPostgres('maintenance of packs', (server) => {
  let database: Postgres;
  let bucket: MemoryObjectStore;
  let store: PackStore;
  let seconds = 1_700_000_000;
  const now = () => seconds * 1000;
  const open = (objects = bucket, on = database) =>
    openPackBlockstore({ database: on, objects, now, writer: { waitMs: 1, quietMs: 0 } });

  beforeEach(async () => {
    database = await openPostgres({ url: await server().createDatabase(), connectionsMax: 4 });
    bucket = createMemoryObjectStore();
    store = await open();
  });
  afterEach(async () => {
    expect(await auditIndex(database)).toEqual([]);
    await store.close();
    await database.close();
  });

  const put = async (chosen: readonly (typeof blocks)[0][]) => {
    await store.putMany(chosen);
    await store.sync();
  };
  const expectReadable = async (chosen: readonly (typeof blocks)[0][]) => {
    for (const { cid, bytes } of chosen) expect(Buffer.from(await store.get(cid))).toEqual(Buffer.from(bytes));
  };
  const orphans = () =>
    store.maintenance.deleteOrphans({ graceSeconds: hour, now: () => Date.now() + 2 * hour * 1000 });

  test('a pack below half live is rewritten, and its bytes are deleted after the grace period', async () => {
    await put(blocks);
    for (const { cid } of blocks.slice(0, 5)) await store.delete(cid);
    expect(await store.maintenance.rewrite()).toEqual({ packs: 0, blocks: 0, corrupt: 0 });
    for (const { cid } of blocks.slice(5, 8)) await store.delete(cid);
    expect(await store.maintenance.rewrite()).toEqual({ packs: 1, blocks: 2, corrupt: 0 });
    expect(await store.maintenance.deleteRetired({ graceSeconds: hour })).toEqual({ packs: 0, bytes: 0 });
    expect(bucket.objects.size).toBe(2);
    seconds += hour;
    expect(await store.maintenance.deleteRetired({ graceSeconds: hour })).toMatchObject({ packs: 1 });
    expect(bucket.objects.size).toBe(1);
    await expectReadable(blocks.slice(8));
    expect(await orphans()).toEqual({ objects: 1, deleted: 0, missing: [] });
  });

  test('a grace period below that of a repeated upload is refused', async () => {
    const refused = { code: 'PACK_GRACE_TOO_SHORT', message: expect.stringContaining('1799 seconds') };
    for (const graceSeconds of [1799, Number.NaN]) {
      const expected = graceSeconds === 1799 ? refused : { code: refused.code };
      await expect(store.maintenance.deleteRetired({ graceSeconds })).rejects.toMatchObject(expected);
      await expect(store.maintenance.deleteOrphans({ graceSeconds })).rejects.toMatchObject(expected);
    }
  });

  test('an orphan is deleted after its grace period, and its writer can no longer record it', async () => {
    await put(blocks.slice(0, 1));
    const [key = ''] = bucket.objects.keys();
    const bytes = Buffer.from('a pack of a process that has ended');
    await bucket.put('packs/orphan.car', bytes);
    expect(await store.maintenance.deleteOrphans({ graceSeconds: hour })).toEqual({
      objects: 2,
      deleted: 0,
      missing: [],
    });
    expect(await orphans()).toEqual({ objects: 2, deleted: 1, missing: [] });
    expect([...bucket.objects.keys()]).toEqual([key]);
    const late = store.maintenance.reindex();
    await bucket.put('packs/orphan.car', bytes);
    expect(await late).toMatchObject({ packs: 1, indexed: 0 });
    expect(await orphans()).toMatchObject({ deleted: 1 });
    bucket.objects.clear();
    expect(await orphans()).toEqual({ objects: 0, deleted: 0, missing: [key] });
  });

  test('scrub quarantines corrupt and lost blocks, and a put repairs them', async () => {
    await put(blocks.slice(0, 2));
    await put(blocks.slice(2, 4));
    await put(blocks.slice(4, 6));
    const [first, second] = [...bucket.objects];
    if (first === undefined || second === undefined) throw new Error('no packs');
    first[1].bytes.writeUInt8(0x21, first[1].bytes.indexOf('0000') + 7);
    bucket.objects.delete(second[0]);
    const found: string[] = [];
    const notified: string[] = [];
    const options = { bytesPerSecond: 1e9, onCorrupt: (cid: unknown) => found.push(String(cid)) };
    store.onQuarantined((cid) => notified.push(cid.toString()));
    expect(await store.maintenance.scrub(options)).toMatchObject({ blocks: 3, corrupt: 3 });
    expect(notified.sort()).toEqual(found.sort());
    expect(found.sort()).toEqual([0, 2, 3].map((n) => `${blocks[n]?.cid}`).sort());
    await expect(store.get(blocks[2]?.cid as never)).rejects.toMatchObject({ code: 'BLOCK_CORRUPT' });
    await put(blocks.slice(0, 6));
    await expectReadable(blocks.slice(0, 6));
    expect(await store.maintenance.scrub(options)).toMatchObject({ blocks: 6, corrupt: 0 });
  });

  test('scrub ends the quarantine of blocks whose bytes match again', async () => {
    await put(blocks.slice(0, 2));
    await put(blocks.slice(2, 4));
    const [first, second] = [...bucket.objects];
    if (first === undefined || second === undefined) throw new Error('no packs');
    const at = first[1].bytes.indexOf('0000') + 7;
    first[1].bytes.writeUInt8(0x21, at);
    bucket.objects.delete(second[0]);
    const scrub = () => store.maintenance.scrub({ bytesPerSecond: 1e9 });
    expect(await scrub()).toMatchObject({ blocks: 1, corrupt: 3 });
    first[1].bytes.write('0', at);
    expect(await scrub()).toMatchObject({ blocks: 2, corrupt: 0 });
    bucket.objects.set(...second);
    expect(await scrub()).toMatchObject({ blocks: 4, corrupt: 0 });
    await expectReadable(blocks.slice(0, 4));
  });

  test('a read of a lost pack quarantines the block, and a put repairs it', async () => {
    await put(blocks.slice(0, 1));
    const [lost = ''] = bucket.objects.keys();
    await put(blocks.slice(1, 2));
    bucket.objects.delete(lost);
    const { cid } = blocks[0] as (typeof blocks)[0];
    const notified: string[] = [];
    store.onQuarantined((found) => notified.push(found.toString()));
    for (let reads = 0; reads < 2; reads++)
      await expect(store.get(cid)).rejects.toMatchObject({ code: 'BLOCK_CORRUPT' });
    expect(await store.has(cid)).toBe(false);
    expect(notified).toEqual([cid.toString()]);
    await put(blocks.slice(0, 1));
    await expectReadable(blocks.slice(0, 2));
  });

  test('a read in a wrong bucket quarantines no block', async () => {
    await put(blocks.slice(0, 1));
    await put(blocks.slice(1, 2));
    const wrong = await open(createMemoryObjectStore());
    const { cid } = blocks[0] as (typeof blocks)[0];
    await expect(wrong.get(cid)).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
    await wrong.close();
    await expectReadable(blocks.slice(0, 2));
  });

  test('one process scrubs at a time, and another one continues an interrupted scrub', async () => {
    await put(blocks.slice(0, 6));
    await put(blocks.slice(6));
    const other = await open();
    const bytesPerSecond = 1e9;
    expect(await store.maintenance.scrubUnderLease({ bytesPerSecond })).toMatchObject({ blocks: 10 });
    expect(await other.maintenance.scrubUnderLease({ bytesPerSecond })).toBeUndefined();
    expect(await store.maintenance.scrubUnderLease({ bytesPerSecond })).toMatchObject({ blocks: 10 });
    const [cut] = [...bucket.objects.keys()].filter((key) => key.endsWith('.car')).slice(-1);
    const stopped = new AbortController();
    const stopping = new Proxy(bucket, {
      get(from, name) {
        const value: unknown = Reflect.get(from, name, from);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (name === 'get' && args[0] === cut) stopped.abort(new Error('stopped'));
          return Reflect.apply(value, from, args);
        };
      },
    });
    const interrupted = await open(stopping);
    const endLease = () => database.write({ text: "UPDATE pack_scrub SET renewed_at = '-infinity'" });
    await endLease();
    const scrub = interrupted.maintenance.scrubUnderLease({ bytesPerSecond, signal: stopped.signal });
    await expect(scrub).rejects.toThrow('stopped');
    await endLease();
    expect(await other.maintenance.scrubUnderLease({ bytesPerSecond })).toMatchObject({ blocks: 4 });
    await interrupted.close();
    await other.close();
  });

  test('scrub in a wrong bucket fails and quarantines no block', async () => {
    await put(blocks);
    const wrong = await open(createMemoryObjectStore());
    await expect(wrong.maintenance.scrub({ bytesPerSecond: 1e9 })).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
    await wrong.close();
    await expectReadable(blocks);
  });

  test('a read of corrupt bytes quarantines the block', async () => {
    await put(blocks.slice(0, 1));
    for (const { bytes } of bucket.objects.values()) bytes.writeUInt8(0x21, bytes.indexOf('0000') + 7);
    const { cid } = blocks[0] as (typeof blocks)[0];
    await expect(store.get(cid)).rejects.toMatchObject({ code: 'BLOCK_CORRUPT' });
    expect(await store.has(cid)).toBe(false);
  });

  test('reindex rebuilds a lost index from the bucket', async () => {
    await put(blocks.slice(0, 6));
    await put(blocks.slice(6));
    const empty = await openPostgres({ url: await server().createDatabase(), connectionsMax: 4 });
    const again = await open(bucket, empty);
    expect(await again.maintenance.reindex()).toEqual({ packs: 2, indexed: 2, unreadable: [] });
    expect(await again.maintenance.reindex()).toMatchObject({ indexed: 0 });
    expect(await again.stats()).toEqual(await store.stats());
    for (const { cid, bytes } of blocks) expect(Buffer.from(await again.get(cid))).toEqual(Buffer.from(bytes));
    expect(await auditIndex(empty)).toEqual([]);
    await again.close();
    await empty.close();
  });

  test('a crash before any call of maintenance loses no block and leaves no object for ever', async () => {
    let hasCrashed = true;
    for (let calls = 0; hasCrashed; calls++) {
      await put(blocks);
      for (const { cid } of blocks.slice(0, 8)) await store.delete(cid);
      let left = calls;
      const step = () => {
        if (left-- <= 0) throw new Error('crashed');
      };
      const dying = await open(crashing(bucket, step), crashing(database, step, new Set(['migrate', 'close'])));
      hasCrashed = false;
      try {
        await dying.maintenance.rewrite();
        seconds += hour;
        await dying.maintenance.deleteRetired({ graceSeconds: hour });
        await dying.maintenance.deleteOrphans({ graceSeconds: hour, now: () => Date.now() + 2 * hour * 1000 });
      } catch (error) {
        expect(String(error)).toContain('crashed');
        hasCrashed = true;
      }
      await dying.close().catch(() => {});
      await expectReadable(blocks.slice(8));
      expect(await auditIndex(database)).toEqual([]);
      seconds += 2 * hour;
      await store.maintenance.rewrite();
      seconds += 2 * hour;
      await store.maintenance.deleteRetired({ graceSeconds: hour });
      await orphans();
      await expectReadable(blocks.slice(8));
      expect(bucket.objects.size).toBe(1);
    }
  });
});

/** Calls `step` before each call of a method. */
function crashing<T extends object>(target: T, step: () => void, except: ReadonlySet<string> = new Set(['close'])): T {
  return new Proxy(target, {
    get(from, name) {
      const value: unknown = Reflect.get(from, name, from);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (!except.has(String(name))) step();
        return Reflect.apply(value, from, args);
      };
    },
  });
}
