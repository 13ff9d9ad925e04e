import { expect, test } from '@jest/globals';
import { SlicedWork } from './sliced-work.ts';

const busy = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end; );
};

test('SlicedWork lets other events run between pieces, and keeps their order', async () => {
  const work = new SlicedWork();
  const order: number[] = [];
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all(
    Array.from({ length: 50 }, (_, id) =>
      work.run(() => {
        busy(2);
        order.push(id);
      }),
    ),
  );
  isDone = true;
  expect(order).toEqual(Array.from({ length: 50 }, (_, id) => id));
  // 100 ms of work in slices of 5 ms.
  expect(turns).toBeGreaterThan(10);
});

test('SlicedWork rejects with the error of a piece and runs the next ones', async () => {
  const work = new SlicedWork();
  const failing = Array.from({ length: 3 }, () =>
    work.run(() => {
      busy(6);
      throw new Error('wrong');
    }),
  );
  const last = work.run(async () => 'right');
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await last).toBe('right');
});
