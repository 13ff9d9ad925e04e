import { CID, cidFor } from '@cairn/cid';
import { describe, expect, test } from '@jest/globals';
import * as Digest from 'multiformats/hashes/digest';
import {
  type BlockstoreCall,
  createHashedBlock,
  createHashedBlockInBackground,
  createMemoryBlockstore,
  isHashedBlock,
  withCache,
  withMetrics,
  withVerification,
  withWait,
} from './index.ts';
import { rawBlock } from './testing/index.ts';

describe('withVerification', () => {
  test('refuses wrong bytes on write and stores no block', async () => {
    const inner = createMemoryBlockstore();
    const wrong = { cid: rawBlock('a').cid, bytes: Buffer.from('b') };
    await expect(withVerification(inner).putMany([wrong])).rejects.toMatchObject({ code: 'BLOCK_CORRUPT' });
    expect((await inner.stats()).blocks).toBe(0);
  });

  test('refuses a wrong long block among right ones, and stores none of them', async () => {
    const inner = createMemoryBlockstore();
    const blocks = Array.from({ length: 8 }, (_, seed) => {
      const bytes = new Uint8Array(200_000).fill(seed);
      return { cid: cidFor(bytes, { codec: 'raw' }), bytes };
    });
    const last = blocks.at(-1);
    const wrong = { cid: rawBlock('a').cid, bytes: last?.bytes ?? new Uint8Array(0) };
    await expect(withVerification(inner).putMany([...blocks.slice(0, -1), wrong])).rejects.toMatchObject({
      code: 'BLOCK_CORRUPT',
    });
    expect((await inner.stats()).blocks).toBe(0);
    await withVerification(inner).putMany(blocks);
    expect((await inner.stats()).blocks).toBe(8);
  });

  test('does not hash a block of createHashedBlock again, and rejects a copy of it', async () => {
    const inner = createMemoryBlockstore();
    const named = createHashedBlock(Buffer.from('named'), { codec: 'raw' });
    expect([isHashedBlock(named), isHashedBlock({ ...named }), isHashedBlock(rawBlock('a'))]).toEqual([
      true,
      false,
      false,
    ]);
    expect(() => Object.assign(named, { bytes: Buffer.from('other') })).toThrow(TypeError);
    await withVerification(inner).putMany([named]);
    expect(Buffer.from(await withVerification(inner).get(named.cid)).toString()).toBe('named');
    // Changed after it was hashed, against the contract: the read is verified nevertheless.
    const changed = createHashedBlock(Buffer.from('before'), { codec: 'raw' });
    changed.bytes[0] = 0;
    await withVerification(inner).putMany([changed]);
    await expect(withVerification(inner).get(changed.cid)).rejects.toMatchObject({ code: 'BLOCK_CORRUPT' });
  });

  test('a block of createHashedBlockInBackground is that of createHashedBlock, and is not hashed again', async () => {
    const bytes = Buffer.alloc(200_000, 7);
    const named = await createHashedBlockInBackground(bytes, { codec: 'raw' });
    expect(named).toEqual(createHashedBlock(bytes, { codec: 'raw' }));
    expect(isHashedBlock(named)).toBe(true);
  });

  test('refuses corrupt bytes on read and names the block', async () => {
    const inner = createMemoryBlockstore();
    const { cid } = rawBlock('a');
    await inner.putMany([{ cid, bytes: Buffer.from('corrupt') }]);
    await expect(withVerification(inner).get(cid)).rejects.toMatchObject({
      code: 'BLOCK_CORRUPT',
      details: { cid: cid.toString() },
    });
  });

  test('does not hash reads of a store that verifies them itself', async () => {
    const inner = createMemoryBlockstore();
    const { cid } = rawBlock('a');
    await inner.putMany([{ cid, bytes: Buffer.from('trusted') }]);
    const bytes = await withVerification(Object.assign(inner, { verifiesReads: true as const })).get(cid);
    expect(Buffer.from(bytes).toString()).toBe('trusted');
  });

  test('reads an identity CID from the CID itself and refuses a long one', async () => {
    const inner = createMemoryBlockstore();
    const store = withVerification(inner);
    const bytes = Buffer.from('inline');
    const cid = cidFor(bytes, { codec: 'raw', hash: 'identity' });
    expect(Buffer.from(await store.get(cid))).toEqual(bytes);
    await store.putMany([{ cid, bytes }]);
    expect((await inner.stats()).blocks).toBe(0);
    const long = cidFor(new Uint8Array(129), { codec: 'raw', hash: 'identity' });
    await expect(store.get(long)).rejects.toMatchObject({ code: 'HASH_UNSUPPORTED' });
  });

  test('refuses a digest that is too short to be safe', async () => {
    const bytes = Buffer.from('a');
    const { multihash } = rawBlock('a').cid;
    const cid = CID.createV1(0x55, Digest.create(multihash.code, multihash.digest.subarray(0, 19)));
    await expect(withVerification(createMemoryBlockstore()).putMany([{ cid, bytes }])).rejects.toMatchObject({
      code: 'HASH_UNSUPPORTED',
    });
  });
});

test('withCache reads a small block once, a large one each time, and drops deleted ones', async () => {
  const calls: BlockstoreCall[] = [];
  const inner = createMemoryBlockstore();
  const store = withCache(
    withMetrics(inner, (call) => calls.push(call)),
    { bytesMax: 10_000, blockBytesMax: 100 },
  );
  const small = rawBlock('small');
  const large = rawBlock('l'.repeat(101));
  await inner.putMany([small, large]);
  for (const { cid } of [small, small, large, large]) await store.get(cid);
  expect(calls.filter((call) => call.operation === 'get').map((call) => call.bytes)).toEqual([5, 101, 101]);
  await store.delete(small.cid);
  await expect(store.get(small.cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
  expect(calls.at(-1)).toMatchObject({ operation: 'get', bytes: 0, error: { code: 'BLOCK_NOT_FOUND' } });
});

test('withCache drops a block that a sweep removed', async () => {
  const inner = createMemoryBlockstore();
  const store = withCache(inner, { bytesMax: 10_000, removals: inner });
  const { cid, bytes } = rawBlock('garbage');
  await inner.putMany([{ cid, bytes }]);
  await store.get(cid);
  const cycle = await inner.beginCycle();
  await inner.sweep({ cycle, graceSeconds: 0, limit: 10 });
  await expect(store.get(cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
});

test('withCache reads a block again after its age, so that it notices removals by other processes', async () => {
  const inner = createMemoryBlockstore();
  const [kept, aged] = [undefined, 1].map((ageMsMax) => withCache(inner, { bytesMax: 10_000, ageMsMax }));
  const block = rawBlock('removed elsewhere');
  await inner.putMany([block]);
  await kept?.get(block.cid);
  await aged?.get(block.cid);
  await inner.delete(block.cid);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await expect(aged?.get(block.cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
  await expect(kept?.get(block.cid)).resolves.toEqual(block.bytes);
});

test('withMetrics reports successes and failures, and ignores errors of onCall', async () => {
  const calls: BlockstoreCall[] = [];
  const store = withMetrics(createMemoryBlockstore(), (call) => {
    calls.push(call);
    throw new Error('planted');
  });
  const block = rawBlock('measured');
  await store.putMany([block]);
  expect(Buffer.from(await store.get(block.cid)).toString()).toBe('measured');
  await expect(store.get(rawBlock('none').cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
  expect(calls.map(({ operation, bytes }) => [operation, bytes])).toEqual([
    ['putMany', 8],
    ['get', 8],
    ['get', 0],
  ]);
  expect(calls.every(({ duration }) => duration >= 0)).toBe(true);
});

describe('withWait', () => {
  const waiting = (waitMs: number) => {
    const inner = createMemoryBlockstore();
    return { inner, store: withWait(inner, { waitMs: () => waitMs }) };
  };

  test('resolves a read when the block is written', async () => {
    const { inner, store } = waiting(10_000);
    const read = store.get(rawBlock('late').cid, { signal: new AbortController().signal });
    await new Promise((resolve) => setTimeout(resolve, 30));
    await inner.putMany([rawBlock('late')]);
    expect(Buffer.from(await read).toString()).toBe('late');
  });

  test('ends at the limit or the signal with an error that names block, time and reason', async () => {
    const { store } = waiting(20);
    const { cid } = rawBlock('never');
    const { signal } = new AbortController();
    await expect(store.get(cid, { signal })).rejects.toMatchObject({
      code: 'BLOCK_NOT_FOUND',
      details: { waitedMs: 20 },
    });
    const abort = new AbortController();
    const read = waiting(10_000).store.get(cid, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error('gone')), 10);
    await expect(read).rejects.toMatchObject({
      code: 'BLOCK_NOT_FOUND',
      details: { cid: cid.toString() },
      cause: new Error('gone'),
    });
  });

  test('does not wait without a signal or with a limit of 0', async () => {
    const { cid } = rawBlock('never');
    await expect(waiting(10_000).store.get(cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
    const { signal } = new AbortController();
    await expect(waiting(0).store.get(cid, { signal })).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
  });
});
