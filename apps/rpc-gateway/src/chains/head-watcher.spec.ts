import type { Hex } from '@cairn/block-model';
import { expect, jest, test } from '@jest/globals';
import { HeadWatcher } from './head-watcher.ts';

const hashOf = (text: string): Hex => `0x${Buffer.from(text).toString('hex').padStart(64, '0')}`;

test('HeadWatcher polls while there are listeners, calls each once per change, and survives a failing store', () => {
  jest.useFakeTimers();
  try {
    const store = { head: { hash: hashOf('g'), number: 0n } };
    const errors: unknown[] = [];
    const watcher = new HeadWatcher(store, { everyMs: 10, onError: (error) => errors.push(error) });
    const calls: string[] = [];
    const stops = ['first', 'second'].map((name) => watcher.listen(() => calls.push(name)));
    jest.advanceTimersByTime(50);
    expect(calls).toEqual([]);
    store.head = { hash: hashOf('gaa'), number: 2n };
    jest.advanceTimersByTime(50);
    expect(calls).toEqual(['first', 'second']);
    Object.defineProperty(store, 'head', {
      get() {
        throw new Error('no store');
      },
    });
    jest.advanceTimersByTime(10);
    expect(errors.length).toBe(1);
    for (const stop of stops) stop();
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});
