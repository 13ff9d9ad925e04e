import { expect, test } from '@jest/globals';
import { beforeIdleCollection, IdleCollector, thisProcess } from './collect-when-idle.ts';
import { trimMemory } from './trim-memory.ts';

const MiB = 1024 * 1024;

function openCollector() {
  const state = { share: 0, bytes: 100 * MiB, done: '' };
  const collector = new IdleCollector({
    activeShare: () => state.share,
    heapBytes: () => state.bytes,
    collect() {
      state.done = 'collected';
      state.bytes = 50 * MiB;
    },
    trim() {
      state.done = 'trimmed';
    },
  });
  /** Returns what a check does. */
  return (share: number, mebibytes: number) => {
    Object.assign(state, { share, bytes: mebibytes * MiB, done: '' });
    collector.check();
    return state.done;
  };
}

/** Results of checks, one after the other. */
const times = (count: number, check: () => string) => Array.from({ length: count }, check);
const nothing = (count: number) => times(count, () => '');

test('garbage is collected once after the start, and once after work, when the process is idle', () => {
  const check = openCollector();
  expect(check(0.5, 100)).toBe('');
  expect(check(0, 100)).toBe('collected');
  expect(times(40, () => check(0.06, 100))).toEqual(nothing(40));
  expect(check(0.02, 100)).toBe('collected');
  expect(times(40, () => check(0, 50))).toEqual(nothing(40));
});

test('a heap that has grown by less than a fifth is only trimmed, once after work', () => {
  const check = openCollector();
  check(0, 100);
  expect(times(40, () => check(0, 59))).toEqual(nothing(40));
  expect([check(0.5, 59), check(0, 59), ...times(40, () => check(0, 59))]).toEqual(['', 'trimmed', ...nothing(40)]);
  expect(check(0, 60)).toBe('collected');
});

test('collections after little growth are a minute apart; after large growth, ten seconds', () => {
  const little = openCollector();
  little(0, 100);
  expect(times(30, () => little(0, 65))).toEqual([...nothing(29), 'collected']);
  const much = openCollector();
  much(0, 100);
  expect(times(5, () => much(0, 66))).toEqual([...nothing(4), 'collected']);
});

test('a process that works a little is trimmed, and collected when it works less', () => {
  const check = openCollector();
  expect(check(0.05, 100)).toBe('trimmed');
  expect(times(40, () => check(0.021, 100))).toEqual(nothing(40));
  expect(check(0.02, 100)).toBe('collected');
});

test('two trims are ten seconds apart', () => {
  const check = openCollector();
  check(0, 100);
  for (let count = 0; count < 2; count++)
    expect([check(0.5, 51), ...times(4, () => check(0, 51))]).toEqual([...nothing(4), 'trimmed']);
});

test('the time of a collection is no work after which a process is trimmed', () => {
  const state = { share: 0, trims: 0 };
  const collector = new IdleCollector({
    activeShare() {
      const { share } = state;
      state.share = 0;
      return share;
    },
    heapBytes: () => MiB,
    collect() {
      state.share = 0.1;
    },
    trim: () => void state.trims++,
  });
  for (let count = 0; count < 40; count++) collector.check();
  expect(state.trims).toBe(0);
});

test('registered functions are called before a collection, and not before a trim', async () => {
  const calls: string[] = [];
  beforeIdleCollection(() => calls.push('released'));
  const own = thisProcess();
  own.trim();
  expect(calls).toEqual([]);
  own.collect();
  expect(calls).toEqual(['released']);
  expect(own.heapBytes()).toBeGreaterThan(MiB);
  expect(own.activeShare()).toBeGreaterThanOrEqual(0);
  // The trims under way load a module.
  await trimMemory();
});
