import { expect, test } from '@jest/globals';
import { runBatch, runningBatch } from './batch.ts';

test('each batch has a number of its own, which promises that it creates do not have', async () => {
  const numbers: (number | undefined)[] = [];
  const note = () => numbers.push(runningBatch());
  let later = Promise.resolve(0);
  runBatch(() => {
    note();
    runBatch(note);
    note();
    later = Promise.resolve().then(note);
  });
  expect(() =>
    runBatch(() => {
      note();
      throw new Error('a fault');
    }),
  ).toThrow('a fault');
  await later;
  note();
  const [outer, inner, again, next, ...outside] = numbers;
  expect(again).toBe(outer);
  expect(new Set([outer, inner, next, undefined]).size).toBe(4);
  expect(outside).toEqual([undefined, undefined]);
});
