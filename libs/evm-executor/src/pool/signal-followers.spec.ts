import { getEventListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { SignalFollowers } from './signal-followers.ts';

test('calls of one batch share one listener, and those that have ended hear nothing', () => {
  const followers = new SignalFollowers();
  const controller = new AbortController();
  const aborted: number[] = [];
  const ends = Array.from({ length: 64 }, (_, call) => followers.add(controller.signal, () => aborted.push(call)));
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  for (const end of ends.slice(2)) end();
  controller.abort();
  expect(aborted).toEqual([0, 1]);
});

test('a follower may end others while the signal aborts', () => {
  const followers = new SignalFollowers();
  const controller = new AbortController();
  const aborted: string[] = [];
  followers.add(controller.signal, () => {
    aborted.push('first');
    endSecond();
  });
  const endSecond = followers.add(controller.signal, () => aborted.push('second'));
  controller.abort();
  expect(aborted).toEqual(['first']);
});
