import { expect, test } from '@jest/globals';
import { PageReads, pageReadLimits } from './page-reads.ts';

test('reads beyond the limit of an account wait, and reads of other accounts do not', async () => {
  const reads = new PageReads();
  const leave = await Promise.all(Array.from({ length: pageReadLimits.underWayMax }, () => reads.enter('a')));
  const order: string[] = [];
  const waiting = ['first', 'second'].map((name) =>
    reads.enter('a').then((end) => {
      order.push(name);
      return end;
    }),
  );
  (await reads.enter('b'))();
  expect(order).toEqual([]);
  leave[0]?.();
  // A second release has no effect.
  leave[0]?.();
  await waiting[0];
  expect(order).toEqual(['first']);
  leave[1]?.();
  for (const end of await Promise.all(waiting)) end();
  for (const end of leave) end();
  expect(reads.size).toBe(0);
});

test('a read is refused when too many wait', async () => {
  const reads = new PageReads();
  const { underWayMax, waitingMax } = pageReadLimits;
  for (let count = 0; count < underWayMax; count++) await reads.enter('a');
  for (let count = 0; count < waitingMax; count++) void reads.enter('a');
  await expect(reads.enter('a')).rejects.toMatchObject({ code: 'SERVICE_BUSY' });
});
