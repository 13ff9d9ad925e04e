import { expect, test } from '@jest/globals';
import { type Block, BufferPool, createHashedBlock } from './index.ts';
import { rawBlock } from './testing/index.ts';
import { type WriteBlocks, WriteQueue } from './write-queue.ts';

const bytesOfBlock = 256 * 1024;

test('WriteQueue writes at most 512 blocks per transaction and writes all of them', async () => {
  const writes: number[] = [];
  const queue = new WriteQueue(async (take) => {
    await new Promise((resolve) => setImmediate(resolve));
    writes.push(take().length);
    await new Promise((resolve) => setImmediate(resolve));
  }, 1024 * 1024);
  const blocks = Array.from({ length: 6000 }, (_, index) => rawBlock(`${index}`));
  for (let at = 0; at < blocks.length; at += 1000) await queue.put(blocks.slice(at, at + 1000), { owner: 1 });
  await queue.sync();
  expect(Math.max(...writes)).toBeLessThanOrEqual(512);
  expect(writes.reduce((sum, count) => sum + count, 0)).toBe(6000);
  expect(queue.pendingBytes).toBe(0);
});

test('WriteQueue limits pending blocks by number as well as by bytes', async () => {
  let isOpen = false;
  let written = 0;
  const queue = new WriteQueue(async (take) => {
    while (!isOpen) await new Promise((resolve) => setImmediate(resolve));
    written += take().length;
  }, 1024 * 1024);
  let taken = 0;
  const putting = (async () => {
    for (let index = 0; index < 6000; index += 500) {
      await queue.put(
        Array.from({ length: 500 }, (_, at) => rawBlock(`tiny ${index + at}`)),
        { owner: 1 },
      );
      taken += 500;
    }
  })();
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(taken).toBeLessThan(6000);
  isOpen = true;
  await putting;
  await queue.sync();
  expect(written).toBe(6000);
});

test('WriteQueue gives lent buffers back after a durable write, and returns copies of pending blocks until then', async () => {
  let isDiskFull = true;
  const written: string[] = [];
  const queue = new WriteQueue(async (take) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (isDiskFull) throw new Error('the disk is full');
    written.push(...take().map(({ block }) => block.cid.toString()));
  }, 1024 * 1024);
  const pool = new BufferPool({ bytesMax: 4 * 1024 * 1024 });
  const lent = (value: number) => {
    const bytes = pool.take(bytesOfBlock) ?? new Uint8Array();
    return createHashedBlock(bytes.fill(value), { codec: 'raw' }, pool);
  };
  const block = lent(1);
  const same = lent(1);
  await queue.put([block], { owner: 1 });
  await queue.put([same], { owner: 1 });
  // A block that is pending already is not written, so its buffer is free.
  expect(pool.freeBytes).toBe(bytesOfBlock);
  const read = queue.get(block.cid);
  expect(read?.buffer).not.toBe(block.bytes.buffer);
  await expect(queue.sync()).rejects.toThrow('the disk is full');
  expect([pool.freeBytes, queue.lengthOf(block.cid)]).toEqual([bytesOfBlock, bytesOfBlock]);
  isDiskFull = false;
  await queue.sync();
  expect([pool.freeBytes, queue.lengthOf(block.cid), queue.pendingBytes]).toEqual([2 * bytesOfBlock, undefined, 0]);
  expect(written).toEqual([block.cid.toString()]);
  pool.take(bytesOfBlock)?.fill(2);
  pool.take(bytesOfBlock)?.fill(2);
  expect(read).toEqual(Buffer.alloc(bytesOfBlock, 1));
});

/** Transactions whose starts and commits a test makes. */
function createTransactions() {
  const requested: { take: () => readonly { readonly block: Block }[]; resolve: () => void }[] = [];
  const write: WriteBlocks = (take) => new Promise<void>((resolve) => requested.push({ take, resolve }));
  const texts = (at: number) => requested[at]?.take().map(({ block: { bytes } }) => Buffer.from(bytes).toString());
  return { requested, write, texts };
}

/** Returns a function that reports whether a promise has resolved, after all microtasks. */
function stateOf(promise: Promise<unknown>): () => Promise<boolean> {
  let isResolved = false;
  void promise.then(() => {
    isResolved = true;
  });
  return () => new Promise((resolve) => setImmediate(() => resolve(isResolved)));
}

test('WriteQueue requests the next transaction during a commit, and it takes what waits when it starts', async () => {
  const { requested, write, texts } = createTransactions();
  const queue = new WriteQueue(write, 1024 * 1024);
  await queue.put([rawBlock('a')], { owner: 1 });
  expect(texts(0)).toEqual(['a']);
  await queue.put([rawBlock('b')], { owner: 1 });
  const isSynced = stateOf(queue.sync());
  await queue.put([rawBlock('c')], { owner: 1 });
  expect(requested).toHaveLength(2);
  requested[0]?.resolve();
  expect(await isSynced()).toBe(false);
  expect(texts(1)).toEqual(['b', 'c']);
  await queue.put([rawBlock('d')], { owner: 1 });
  expect(await isSynced()).toBe(false);
  expect(requested).toHaveLength(3);
  requested[1]?.resolve();
  // It does not wait for blocks that were accepted later.
  expect(await isSynced()).toBe(true);
  expect(queue.pendingBytes).toBe(1);
});

test('WriteQueue reports that blocks have a transaction only when later transactions run after it', async () => {
  const { requested, write, texts } = createTransactions();
  const queue = new WriteQueue(write, 1024 * 1024);
  await queue.put(
    Array.from({ length: 700 }, (_, index) => rawBlock(`${index}`)),
    { owner: 1 },
  );
  const isRequested = stateOf(queue.requested());
  expect(await isRequested()).toBe(false);
  expect(texts(0)).toHaveLength(512);
  expect(await isRequested()).toBe(true);
  expect(requested).toHaveLength(2);
  expect(texts(1)).toHaveLength(188);
});
