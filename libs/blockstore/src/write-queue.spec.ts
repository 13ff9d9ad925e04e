import { expect, test } from '@jest/globals';
import { BufferPool, createHashedBlock } from './index.ts';
import { rawBlock } from './testing/index.ts';
import { WriteQueue } from './write-queue.ts';

const bytesOfBlock = 256 * 1024;

test('WriteQueue writes at most 512 blocks per transaction and writes all of them', async () => {
  const writes: number[] = [];
  const queue = new WriteQueue(async (entries) => {
    writes.push(entries.length);
    await new Promise((resolve) => setImmediate(resolve));
  }, 1024 * 1024);
  const blocks = Array.from({ length: 6000 }, (_, index) => rawBlock(`${index}`));
  for (let at = 0; at < blocks.length; at += 1000) await queue.put(blocks.slice(at, at + 1000), 1);
  await queue.sync();
  expect(Math.max(...writes)).toBeLessThanOrEqual(512);
  expect(writes.reduce((sum, count) => sum + count, 0)).toBe(6000);
  expect(queue.pendingBytes).toBe(0);
});

test('WriteQueue limits pending blocks by number as well as by bytes', async () => {
  let isOpen = false;
  let written = 0;
  const queue = new WriteQueue(async (entries) => {
    while (!isOpen) await new Promise((resolve) => setImmediate(resolve));
    written += entries.length;
  }, 1024 * 1024);
  let taken = 0;
  const putting = (async () => {
    for (let index = 0; index < 6000; index += 500) {
      await queue.put(
        Array.from({ length: 500 }, (_, at) => rawBlock(`tiny ${index + at}`)),
        1,
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
  const queue = new WriteQueue(async (entries) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (isDiskFull) throw new Error('the disk is full');
    written.push(...entries.map(({ block }) => block.cid.toString()));
  }, 1024 * 1024);
  const pool = new BufferPool({ bytesMax: 4 * 1024 * 1024 });
  const lent = (value: number) => {
    const bytes = pool.take(bytesOfBlock) ?? new Uint8Array();
    return createHashedBlock(bytes.fill(value), { codec: 'raw' }, pool);
  };
  const block = lent(1);
  const same = lent(1);
  await queue.put([block], 1);
  await queue.put([same], 1);
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
