import { expect, test } from '@jest/globals';
import { IdleCollector } from './collect-when-idle.ts';

function openCollector() {
  const state = { share: 0, bytes: 100, collections: 0 };
  const collector = new IdleCollector({
    activeShare: () => state.share,
    heapBytes: () => state.bytes,
    collect() {
      state.collections++;
      state.bytes = 110;
    },
  });
  /** Returns whether a check collects garbage. */
  const check = (share: number, bytes: number) => {
    const before = state.collections;
    Object.assign(state, { share, bytes });
    collector.check();
    return state.collections > before;
  };
  return { check };
}

/** Checks from one collection to the next at least. */
const pauseChecks = 12;

test('garbage is collected once after the start and once after work, when the process is idle', () => {
  const { check } = openCollector();
  expect(check(0.5, 100)).toBe(false);
  expect(check(0, 100)).toBe(true);
  for (let count = 0; count < pauseChecks; count++) expect(check(0.011, 200)).toBe(false);
  expect(check(0.01, 200)).toBe(true);
  for (let count = 0; count <= pauseChecks; count++) expect(check(0, 110)).toBe(false);
});

test('a heap that has grown by less than a fifth since the last collection is left as it is', () => {
  const { check } = openCollector();
  check(0, 100);
  for (let count = 0; count < pauseChecks; count++) expect(check(0, 131)).toBe(false);
  expect(check(0, 131)).toBe(false);
  expect(check(0, 133)).toBe(true);
});

test('two collections are a minute apart', () => {
  const { check } = openCollector();
  check(0, 100);
  const collected = Array.from({ length: pauseChecks }, () => check(0, 200));
  expect(collected.indexOf(true)).toBe(pauseChecks - 1);
});
