import { expect, test } from '@jest/globals';
import { BatchedLookups } from './batched-lookups.ts';

/** Lookups of even numbers, which are found as text, with the batches that were asked for. */
function setUp() {
  const batches: number[][] = [];
  const lookups = new BatchedLookups<number, string>(async (keys) => {
    batches.push([...keys]);
    if (keys.includes(13)) throw new Error('away');
    return keys.map((key) => (key % 2 === 0 ? `${key}` : undefined));
  });
  return { batches, lookups };
}

test('lookups of one turn share a statement, and each gets its own value', async () => {
  const { batches, lookups } = setUp();
  const found = await Promise.all([lookups.one(2), lookups.many([3, 4]), lookups.one(2)]);
  expect(found).toEqual(['2', [undefined, '4'], '2']);
  expect(batches).toEqual([[2, 3, 4, 2]]);
});

test('a lookup that starts during a statement gets another one', async () => {
  const { batches, lookups } = setUp();
  const first = lookups.one(2);
  await new Promise((resolve) => setImmediate(resolve));
  expect(batches).toEqual([[2]]);
  expect(await Promise.all([first, lookups.one(2)])).toEqual(['2', '2']);
  expect(batches).toEqual([[2], [2]]);
});

test('a failed statement rejects its lookups only', async () => {
  const { lookups } = setUp();
  const failed = Promise.allSettled([lookups.one(13), lookups.one(2)]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await lookups.one(2)).toBe('2');
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('more lookups than a statement takes are looked up in several', async () => {
  const { batches, lookups } = setUp();
  const keys = Array.from({ length: 3000 }, (_, n) => n * 2);
  expect(await lookups.many(keys)).toEqual(keys.map(String));
  expect(batches.flat()).toEqual(keys);
  expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(256);
});
