import { expect, test } from '@jest/globals';
import { inBatches } from './index.ts';

test('inBatches yields all items in order, in full lists and one rest', async () => {
  const items = async function* (count: number) {
    for (let item = 0; item < count; item++) yield item;
  };
  const batchesOf = async (count: number) => {
    const batches: (readonly number[])[] = [];
    for await (const batch of inBatches(items(count), 2)) batches.push(batch);
    return batches;
  };
  expect(await batchesOf(0)).toEqual([]);
  expect(await batchesOf(4)).toEqual([
    [0, 1],
    [2, 3],
  ]);
  expect(await batchesOf(5)).toEqual([[0, 1], [2, 3], [4]]);
});
