import { expect, test } from '@jest/globals';
import { type BlockstoreCall, BufferPool, createMemoryBlockstore, withCache, withMetrics } from './index.ts';
import { rawBlock } from './testing/index.ts';

const MiB = 1024 * 1024;

test('a buffer that was given back is lent again, and one that was not stays with its borrower', () => {
  const pool = new BufferPool({ bytesMax: 4 * MiB });
  const first = pool.take(MiB);
  const second = pool.take(MiB);
  expect([first?.length, second?.length, first?.buffer === second?.buffer]).toEqual([MiB, MiB, false]);
  if (first) pool.giveBack(first.subarray(10, 20));
  expect(pool.take(MiB - 5)?.buffer).toBe(first?.buffer);
  expect(pool.take(MiB)?.buffer).not.toBe(first?.buffer);
});

test('a pool that is cleared lends new buffers, and takes back those that are lent', () => {
  const pool = new BufferPool({ bytesMax: 4 * MiB });
  const [free, lent] = [pool.take(MiB), pool.take(MiB)];
  if (free) pool.giveBack(free);
  pool.clear();
  expect(pool.freeBytes).toBe(0);
  expect(pool.take(MiB)?.buffer).not.toBe(free?.buffer);
  if (lent) pool.giveBack(lent);
  expect(pool.take(MiB)?.buffer).toBe(lent?.buffer);
});

test('a buffer that is given back twice is lent once', () => {
  const pool = new BufferPool({ bytesMax: 4 * MiB });
  const bytes = pool.take(MiB) ?? new Uint8Array();
  pool.giveBack(bytes);
  pool.giveBack(bytes);
  expect(pool.freeBytes).toBe(MiB);
  expect(pool.take(MiB)?.buffer).not.toBe(pool.take(MiB)?.buffer);
});

test('a buffer that is kept for several readers is not lent again', () => {
  const pool = new BufferPool({ bytesMax: 4 * MiB });
  const bytes = pool.take(MiB) ?? new Uint8Array();
  pool.keep(bytes);
  pool.giveBack(bytes);
  expect([pool.isLent(bytes), pool.freeBytes]).toEqual([false, 0]);
});

test('the pool ignores foreign bytes and short blocks', () => {
  const pool = new BufferPool({ bytesMax: MiB });
  pool.giveBack(new Uint8Array(MiB));
  pool.giveBack(new Uint8Array(new SharedArrayBuffer(MiB)));
  expect([pool.freeBytes, pool.take(1000), pool.isLent(new Uint8Array(MiB))]).toEqual([0, undefined, false]);
});

test('free buffers stay below the limit: lengths that are not used any more leave first', () => {
  const pool = new BufferPool({ bytesMax: 2 * MiB });
  const lent = [256, 512, 768, 1024].map((kibibytes) => pool.take(kibibytes * 1024) ?? new Uint8Array());
  for (const bytes of lent) {
    pool.giveBack(bytes);
    expect(pool.freeBytes).toBeLessThanOrEqual(2 * MiB);
  }
  expect(pool.take(MiB)?.buffer).toBe(lent[3]?.buffer);
  expect(pool.take(256 * 1024)?.buffer).not.toBe(lent[0]?.buffer);
});

test('withCache does not keep bytes of a lent buffer', async () => {
  const calls: BlockstoreCall[] = [];
  const memory = createMemoryBlockstore();
  const block = rawBlock('x'.repeat(MiB));
  await memory.putMany([block]);
  const pool = new BufferPool({ bytesMax: MiB });
  const lending = Object.assign(Object.create(memory), {
    get: async (...[cid, options]: Parameters<typeof memory.get>) => {
      const bytes = await memory.get(cid, options);
      const lent = options?.buffers?.take(bytes.length);
      lent?.set(bytes);
      return lent ?? bytes;
    },
  });
  const store = withCache(
    withMetrics(lending, (call) => calls.push(call)),
    { bytesMax: 8 * MiB, blockBytesMax: 2 * MiB },
  );
  const lent = await store.get(block.cid, { buffers: pool });
  pool.giveBack(lent);
  lent.fill(0);
  expect(Buffer.from(await store.get(block.cid)).equals(block.bytes)).toBe(true);
  expect(calls).toHaveLength(2);
});
