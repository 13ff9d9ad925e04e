import { getEventListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { linkAbort, untilAborted } from './linked-abort.ts';

test('a link aborts with the first of its signals', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const linked = linkAbort(first.signal, undefined, second.signal);
  second.abort('second');
  first.abort('first');
  expect(linked.signal.reason).toBe('second');
  expect(linkAbort(first.signal).signal.reason).toBe('first');
});

test('many links of a signal add one listener, and unlinked ones do not abort', () => {
  const ended = new AbortController();
  const links = Array.from({ length: 1000 }, () => linkAbort(ended.signal));
  expect(getEventListeners(ended.signal, 'abort')).toHaveLength(1);
  for (const link of links.slice(1)) link.unlink();
  ended.abort('end');
  expect(links.map(({ signal }) => signal.aborted).filter(Boolean)).toHaveLength(1);
});

test('untilAborted rejects with the reason of the signal, and else settles as the promise', async () => {
  const ended = new AbortController();
  const never = new Promise<never>(() => {});
  const waits = Array.from({ length: 100 }, () => untilAborted(never, ended.signal));
  expect(await untilAborted(Promise.resolve(1), ended.signal)).toBe(1);
  expect(getEventListeners(ended.signal, 'abort')).toHaveLength(1);
  ended.abort('end');
  for (const wait of waits) await expect(wait).rejects.toBe('end');
  await expect(untilAborted(never, ended.signal)).rejects.toBe('end');
});
