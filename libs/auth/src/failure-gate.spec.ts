import { expect, test } from '@jest/globals';
import { FailureGate } from './failure-gate.ts';

const paused = (retryAfterSeconds: number) =>
  expect.objectContaining({ code: 'ATTEMPTS_PAUSED', details: { retryAfterSeconds } });

test('each failure beyond the free ones doubles the pause of that key and address, and of no other', () => {
  let now = 0;
  const gate = new FailureGate({ freeFailures: 3, pauseMsMax: 8_000, now: () => now });
  for (let n = 0; n < 3; n++) gate.recordFailure('key', 'here');
  gate.check('key', 'here');
  for (const seconds of [1, 2, 4, 8, 8]) {
    gate.recordFailure('key', 'here');
    expect(() => gate.check('key', 'here')).toThrow(paused(seconds));
    gate.check('key', 'elsewhere');
    gate.check('other', 'here');
    now += seconds * 1000;
    gate.check('key', 'here');
  }
});

test('success clears the failures, and they expire', () => {
  let now = 0;
  const gate = new FailureGate({ freeFailures: 1, now: () => now });
  for (let n = 0; n < 2; n++) gate.recordFailure('key', 'here');
  expect(() => gate.check('key', 'here')).toThrow(paused(1));
  gate.recordSuccess('key', 'here');
  gate.check('key', 'here');
  gate.recordFailure('key', 'here');
  gate.check('key', 'here');
  now += 3_600_000;
  gate.recordFailure('key', 'here');
  gate.check('key', 'here');
});

test('an address that tries many keys is paused as a whole', () => {
  const gate = new FailureGate({ freeFailures: 2, now: () => 0 });
  gate.recordSuccess('good', 'here');
  for (let n = 0; n < 20; n++) gate.recordFailure(`key ${n}`, 'here');
  gate.check('any', 'here');
  gate.recordFailure('key 20', 'here');
  expect(() => gate.check('any', 'here')).toThrow(paused(1));
  gate.check('any', 'elsewhere');
  // Behind a proxy all clients share its address: a key that succeeded before is exempt.
  gate.check('good', 'here');
});

test('the number of counters is bounded', () => {
  const gate = new FailureGate({ freeFailures: 1, now: () => 0 });
  for (let n = 0; n < 2; n++) gate.recordFailure('first', 'here');
  expect(() => gate.check('first', 'here')).toThrow(paused(1));
  for (let n = 0; n < 6_000; n++) gate.recordFailure(`key ${n}`, `address ${n}`);
  gate.check('first', 'here');
});

test('withdrawing an attempt ends the pause that it caused', () => {
  const gate = new FailureGate({ freeFailures: 1, now: () => 0 });
  for (let n = 0; n < 2; n++) gate.recordFailure('key', 'here');
  expect(() => gate.check('key', 'here')).toThrow(paused(1));
  gate.withdrawFailure('key', 'here');
  gate.check('key', 'here');
  gate.recordFailure('key', 'here');
  expect(() => gate.check('key', 'here')).toThrow(paused(1));
  for (let n = 0; n < 5; n++) gate.withdrawFailure('key', 'here');
  gate.recordFailure('key', 'here');
  gate.check('key', 'here');
});
