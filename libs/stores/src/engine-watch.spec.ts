import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { EngineWatch, engineWatchLimits } from './engine-watch.ts';

let now: number;
let check: () => Promise<void>;
let watch: EngineWatch;
beforeEach(() => {
  now = 1_700_000_000_000;
  check = async () => {};
  const numbers = () => ({ gauges: { waiting: 0 }, counters: {}, failures: {} });
  watch = new EngineWatch({ name: 'postgres', isEssential: true, check: () => check(), numbers, now: () => now });
});
afterEach(() => watch.stop());

const fail = async () => {
  throw new Error('refused');
};

test('an engine that answers has neither a warning nor a problem', async () => {
  await watch.check();
  expect(watch.state()).toEqual({ name: 'postgres', gauges: { waiting: 0 }, counters: {}, failures: {} });
});

test('a failed check is a warning first, and a problem after the grace time', async () => {
  check = fail;
  await watch.check();
  expect(watch.state()).toMatchObject({ warning: 'refused' });
  expect(watch.state().problem).toBeUndefined();
  now += engineWatchLimits.graceMs + 1;
  await watch.check();
  expect(watch.state()).toMatchObject({ problem: 'refused' });
  check = async () => {};
  await watch.check();
  expect(watch.state().problem).toBeUndefined();
});

test('a check that does not end counts as a failure, and no second one starts', async () => {
  let checks = 0;
  check = () => {
    checks++;
    return new Promise(() => {});
  };
  void watch.check();
  void watch.check();
  expect(checks).toBe(1);
  now += 3 * engineWatchLimits.intervalMs;
  expect(watch.state().warning).toBe('postgres has not answered for 6 s.');
  now += engineWatchLimits.graceMs;
  expect(watch.state().problem).toMatch(/has not answered/);
});

test('an engine that the service works without never becomes a problem', async () => {
  const options = { check: fail, numbers: () => ({ gauges: {}, counters: {}, failures: {} }), now: () => now };
  const optional = new EngineWatch({ name: 'redis', isEssential: false, ...options });
  now += 2 * engineWatchLimits.graceMs;
  await optional.check();
  expect(optional.state()).toMatchObject({ warning: 'refused' });
  expect(optional.state().problem).toBeUndefined();
  optional.stop();
});
