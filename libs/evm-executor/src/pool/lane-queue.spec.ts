import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LaneQueue } from './lane-queue.ts';

describe('LaneQueue', () => {
  test('takes turns between lanes, in order within one', () => {
    const queue = new LaneQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item.slice(0, 1), item);
    const served = Array.from({ length: 7 }, () => queue.shift());
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined]);
    expect(queue.length).toBe(0);
  });

  test('serves or removes everything once', () => {
    const items = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 30 });
    fc.assert(
      fc.property(items, (pushed) => {
        const queue = new LaneQueue<number>();
        for (const [index, [lane]] of pushed.entries()) queue.push(lane, index);
        const removed = pushed.flatMap(([lane, leaves], index) => (leaves && queue.remove(lane, index) ? [index] : []));
        const served: number[] = [];
        for (let item = queue.shift(); item !== undefined; item = queue.shift()) served.push(item);
        expect([...served, ...removed].sort((a, b) => a - b)).toEqual(pushed.map((_, index) => index));
        expect(queue.remove('a', 0)).toBe(false);
      }),
    );
  });

  test('makes room at the cost of the longest lane, unless the newcomer is that', () => {
    const queue = new LaneQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1']) queue.push(item.slice(0, 1), item);
    expect(queue.evictFor('a')).toBeUndefined();
    expect(queue.evictFor('b')).toBe('a3');
    expect(queue.length).toBe(3);
    expect(queue.evictFor('b')).toBeUndefined();
    expect(queue.evictFor('c')).toBe('a2');
  });
});
