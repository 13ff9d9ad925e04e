import { describe, expect, test } from '@jest/globals';
import { LaneQueue } from './lane-queue.ts';

const items = (lane: string, count: number) => Array.from({ length: count }, (_, id) => ({ lane, id }));
const upTo = (count: number) => {
  let left = count;
  return () => left-- > 0;
};
const namesOf = (taken: readonly { readonly lane: string; readonly id: number }[]) =>
  taken.map(({ lane, id }) => `${lane}${id}`).join(' ');

function queueOf(lengthMax: number, ...lists: readonly (readonly { lane: string; id: number }[])[]) {
  const queue = new LaneQueue<{ readonly lane: string; readonly id: number }>(lengthMax);
  for (const item of lists.flat()) queue.push(item);
  return queue;
}

describe('LaneQueue', () => {
  test('take serves lanes in turn, each in order', () => {
    const queue = queueOf(100, items('a', 5), items('b', 1), items('c', 2));
    expect(namesOf(queue.take({ fits: upTo(4), isReserve: false }))).toBe('a0 b0 c0 a1');
    expect(namesOf(queue.take({ fits: upTo(9), isReserve: false }))).toBe('c1 a2 a3 a4');
    expect(queue.length).toBe(0);
  });

  test('a lane waits at most one turn behind a lane with many items', () => {
    const queue = queueOf(10_000, items('a', 5000));
    expect(namesOf(queue.take({ fits: upTo(2), isReserve: false }))).toBe('a0 a1');
    queue.push({ lane: 'b', id: 0 });
    expect(namesOf(queue.take({ fits: upTo(2), isReserve: false }))).toBe('a2 b0');
  });

  test('the reserve serves lanes without running items, and the lane of the process', () => {
    const queue = queueOf(100, items('a', 3), items('', 2));
    const taken = queue.take({ fits: upTo(2), isReserve: false });
    queue.push({ lane: 'b', id: 0 });
    expect(namesOf(queue.take({ fits: upTo(9), isReserve: true }))).toBe('1 b0');
    queue.ended(taken);
    expect(namesOf(queue.take({ fits: upTo(9), isReserve: true }))).toBe('a1 a2');
  });

  test('a full queue still takes items of a lane below its share, up to twice its length', () => {
    const queue = queueOf(10, items('a', 10));
    expect([queue.isFullFor('a'), queue.isFullFor('b')]).toEqual([true, false]);
    for (let lane = 0; lane < 1000; lane++) {
      const name = `lane${lane}`;
      while (!queue.isFullFor(name)) queue.push({ lane: name, id: 0 });
      if (queue.length > 20) break;
    }
    expect(queue.length).toBeLessThanOrEqual(20);
  });

  test('items that are put back come first in their lane', () => {
    const queue = queueOf(100, items('a', 4));
    const taken = queue.take({ fits: upTo(2), isReserve: false });
    queue.putBack(taken);
    queue.ended(taken);
    expect(namesOf(queue.take({ fits: upTo(9), isReserve: false }))).toBe('a0 a1 a2 a3');
  });
});
