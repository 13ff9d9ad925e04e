import { describe, expect, test } from '@jest/globals';
import * as node from './turns-node.ts';
import * as portable from './turns-portable.ts';

for (const [name, { nextTurn }] of Object.entries({ node, portable }))
  describe(`nextTurn (${name})`, () => {
    test('resolves after promises and a due timer have run', async () => {
      const order: string[] = [];
      const timer = new Promise((resolve) => setTimeout(resolve, 0)).then(() => order.push('timer'));
      Promise.resolve().then(() => order.push('promise'));
      // Node delivers up to 1,000 messages of a port before it runs timers.
      for (let turns = 0; turns < 100_000 && !order.includes('timer'); turns++) await nextTurn();
      order.push('turn');
      await timer;
      expect(order).toEqual(['promise', 'timer', 'turn']);
    });

    test('resolves concurrent waits in order', async () => {
      const order: number[] = [];
      await Promise.all([1, 2, 3].map((wait) => nextTurn().then(() => order.push(wait))));
      expect(order).toEqual([1, 2, 3]);
    });
  });
