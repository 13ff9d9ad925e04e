import { expect, test } from '@jest/globals';
import { createMemoryBlockstore, scrub, withVerification } from './index.ts';
import { rawBlock } from './testing/index.ts';

test('scrub quarantines every corrupt block and respects its rate', async () => {
  const store = createMemoryBlockstore();
  const good = Array.from({ length: 5 }, (_, n) => rawBlock(String(n).padEnd(600_000, '.')));
  const damaged = { cid: rawBlock('right').cid, bytes: Buffer.from('wrong') };
  await store.putMany([...good, damaged]);
  const waits: number[] = [];
  const corrupt: string[] = [];
  const report = await scrub({
    store,
    bytesPerSecond: 1_000_000,
    onCorrupt: (cid) => corrupt.push(cid.toString()),
    wait: async (milliseconds) => void waits.push(milliseconds),
  });
  expect(report).toEqual({ blocks: 6, bytes: 3_000_005, corrupt: 1 });
  expect(corrupt).toEqual([damaged.cid.toString()]);
  // No wait follows the last blocks, which are less than a step.
  const waited = waits.reduce((sum, milliseconds) => sum + milliseconds, 0);
  expect(waited).toBeGreaterThanOrEqual(1800);
  await expect(store.get(damaged.cid)).rejects.toMatchObject({ code: 'BLOCK_CORRUPT' });
  // A quarantined block is not counted again, and the right bytes repair it.
  expect(await scrub({ store, bytesPerSecond: 1e9 })).toMatchObject({ blocks: 5, corrupt: 0 });
  await store.putMany([rawBlock('right')]);
  expect(await scrub({ store, bytesPerSecond: 1e9 })).toMatchObject({ blocks: 6, corrupt: 0 });
});

test('scrub rests between small blocks too, longer than it works', async () => {
  const store = createMemoryBlockstore();
  await store.putMany(Array.from({ length: 20_000 }, (_, n) => rawBlock(String(n))));
  let waited = 0;
  const began = performance.now();
  const report = await scrub({
    store,
    bytesPerSecond: 1e9,
    wait: async (milliseconds) => {
      waited += milliseconds;
    },
  });
  expect(report).toMatchObject({ blocks: 20_000, corrupt: 0 });
  expect(report.bytes).toBeLessThan(1024 * 1024);
  expect(waited).toBeGreaterThan(performance.now() - began);
});

test('scrub throws the reason of its signal', async () => {
  const store = createMemoryBlockstore();
  await store.putMany([rawBlock('a')]);
  const reason = new Error('shutting down');
  await expect(scrub({ store, bytesPerSecond: 1, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test('withVerification quarantines a corrupt block on read', async () => {
  const store = createMemoryBlockstore();
  const { cid } = rawBlock('right');
  await store.putMany([{ cid, bytes: Buffer.from('wrong') }]);
  await expect(withVerification(store, { quarantine: store }).get(cid)).rejects.toMatchObject({
    code: 'BLOCK_CORRUPT',
  });
  expect(await store.has(cid)).toBe(false);
});
