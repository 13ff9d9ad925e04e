import { expect, test } from '@jest/globals';
import { rawBlock } from './testing/index.ts';
import { WriteQueue } from './write-queue.ts';

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
