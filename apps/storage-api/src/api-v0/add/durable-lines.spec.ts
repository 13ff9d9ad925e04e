import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { DurableLines, durableLineLimits } from './durable-lines.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function gather(keep: (lines: readonly number[]) => Promise<void> = async () => {}) {
  const kept: (readonly number[])[] = [];
  const failures: unknown[] = [];
  const lines = new DurableLines<number>({
    keep: async (each) => {
      await keep(each);
      kept.push(each);
    },
    onFailure: (error) => failures.push(error),
  });
  return { lines, kept, failures };
}

test('makes waiting lines durable when no further one arrives', async () => {
  const { lines, kept } = gather();
  await lines.add(1);
  await lines.add(2);
  expect(kept).toEqual([]);
  await jest.advanceTimersByTimeAsync(2 * durableLineLimits.idleMs);
  expect(kept).toEqual([[1, 2]]);
  await lines.end();
  expect(kept).toEqual([[1, 2]]);
});

test('makes lines durable after their longest wait, also while more of them arrive', async () => {
  const { lines, kept } = gather();
  const { idleMs, waitMs } = durableLineLimits;
  for (let at = 0; at < 2 * waitMs; at += idleMs / 3) {
    await lines.add(at);
    await jest.advanceTimersByTimeAsync(idleMs / 3);
  }
  expect(kept.length).toBeGreaterThanOrEqual(1);
});

test('makes many lines durable together, and the rest at the end', async () => {
  const { lines, kept } = gather();
  const { waitingMax } = durableLineLimits;
  for (let index = 0; index < waitingMax + 1; index++) await lines.add(index);
  expect(kept.map(({ length }) => length)).toEqual([waitingMax]);
  await lines.end();
  expect(kept.map(({ length }) => length)).toEqual([waitingMax, 1]);
});

test('keeps lines in their order and does not overlap calls', async () => {
  let running = 0;
  const { lines, kept } = gather(async () => {
    expect(++running).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    running--;
  });
  for (let index = 0; index < 5; index++) {
    await lines.add(index);
    await jest.advanceTimersByTimeAsync(durableLineLimits.idleMs * 2);
  }
  const ended = lines.end();
  await jest.advanceTimersByTimeAsync(1000);
  await ended;
  expect(kept.flat()).toEqual([0, 1, 2, 3, 4]);
});

test('reports an error of keep while no call awaits it, and from the next call', async () => {
  const { lines, failures } = gather(async () => {
    throw new Error('the disk is full');
  });
  await lines.add(1);
  await jest.advanceTimersByTimeAsync(2 * durableLineLimits.idleMs);
  expect(failures).toEqual([new Error('the disk is full')]);
  await expect(lines.end()).rejects.toThrow('the disk is full');
  await lines.discard();
});

test('passes lines on in their order, and drops one that the next replaces', async () => {
  const { lines, kept } = gather();
  lines.pass(1, undefined);
  await jest.advanceTimersByTimeAsync(0);
  expect(kept).toEqual([[1]]);
  await lines.add(2);
  lines.pass(3, undefined);
  lines.pass(4, 3);
  await lines.end();
  expect(kept).toEqual([[1], [2, 4]]);
});

test('discard drops the waiting lines', async () => {
  const { lines, kept } = gather();
  await lines.add(1);
  await lines.discard();
  await jest.advanceTimersByTimeAsync(10 * durableLineLimits.waitMs);
  expect(kept).toEqual([]);
});
