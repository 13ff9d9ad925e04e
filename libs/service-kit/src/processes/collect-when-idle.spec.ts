import { expect, test } from '@jest/globals';
import { IdleCollector } from './collect-when-idle.ts';

const MiB = 1024 * 1024;

function openCollector() {
  const state = { share: 0, bytes: 100 * MiB, done: '' };
  const collector = new IdleCollector({
    activeShare: () => state.share,
    memoryBytes: () => state.bytes,
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

test('a memory that has grown by less than a fifth is only trimmed, once after work', () => {
  const check = openCollector();
  check(0, 100);
  expect(times(40, () => check(0, 59))).toEqual(nothing(40));
  expect([check(0.5, 59), check(0, 59), ...times(40, () => check(0, 59))]).toEqual(['', 'trimmed', ...nothing(40)]);
  expect(check(0, 60)).toBe('collected');
});

test('two collections of little memory are a minute apart, and of much ten seconds', () => {
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
