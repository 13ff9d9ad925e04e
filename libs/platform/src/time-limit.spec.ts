import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { timeLimit } from './time-limit.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a combined signal aborts after the time, also when garbage was collected meanwhile', async () => {
  const aborted = (() => {
    const combined = AbortSignal.any([new AbortController().signal, timeLimit(300)]);
    return new Promise<string>((resolve) => {
      combined.addEventListener('abort', () => resolve((combined.reason as Error).name), { once: true });
    });
  })();
  for (let round = 0; round < 3; round++) {
    await pause(20);
    collectGarbage();
  }
  expect(await Promise.race([aborted, pause(10_000, 'never', { ref: false })])).toBe('TimeoutError');
});

test('a signal does not abort before its time', async () => {
  const signal = timeLimit(600_000);
  await pause(20);
  expect(signal.aborted).toBe(false);
});
