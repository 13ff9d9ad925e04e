import { getEventListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { SharedAbortListeners } from './shared-abort-listeners.ts';

test('callbacks on one signal share one listener, and removed ones are not called', () => {
  const listeners = new SharedAbortListeners();
  const controller = new AbortController();
  const aborted: number[] = [];
  const ends = Array.from({ length: 64 }, (_, call) => listeners.add(controller.signal, () => aborted.push(call)));
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  for (const end of ends.slice(2)) end();
  controller.abort();
  expect(aborted).toEqual([0, 1]);
});

test('a callback may remove others while the signal aborts', () => {
  const listeners = new SharedAbortListeners();
  const controller = new AbortController();
  const aborted: string[] = [];
  listeners.add(controller.signal, () => {
    aborted.push('first');
    endSecond();
  });
  const endSecond = listeners.add(controller.signal, () => aborted.push('second'));
  controller.abort();
  expect(aborted).toEqual(['first']);
});
