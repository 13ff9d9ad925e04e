import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CircuitBreaker } from './breaker.ts';
import { upstreamLimits } from './limits.ts';

test('the breaker opens after failuresMax failures and doubles its time after a failed probe', () => {
  let now = 1;
  const breaker = new CircuitBreaker(upstreamLimits, () => now);
  const opened = Array.from({ length: upstreamLimits.failuresMax }, () => breaker.failed());
  expect(opened.filter(Boolean)).toHaveLength(1);
  for (const openMs of [1000, 2000, 4000]) {
    now += openMs - 1;
    expect(breaker.isClosed).toBe(false);
    now += 1;
    expect(breaker.isClosed).toBe(true);
    breaker.started();
    expect(breaker.isClosed).toBe(false);
    breaker.failed();
  }
  now += 8000;
  breaker.started();
  expect(breaker.succeeded()).toBe(true);
  expect(breaker.state).toBe('closed');
});

test('failures count as lasting from outageMs on, until a success', () => {
  let now = 1;
  const breaker = new CircuitBreaker({ ...upstreamLimits, outageMs: 4000 }, () => now);
  for (let count = 0; count < upstreamLimits.failuresMax; count++) breaker.failed();
  const lasting: boolean[] = [];
  for (const openMs of [1000, 2000, 4000]) {
    lasting.push(breaker.isLasting);
    now += openMs;
    breaker.started();
    breaker.failed();
  }
  expect(lasting).toEqual([false, false, true]);
  now += 8000;
  expect(breaker.isLasting).toBe(true);
  breaker.started();
  breaker.succeeded();
  expect(breaker.isLasting).toBe(false);
});

test('an open breaker admits at most one request per open time', () => {
  const step = fc.constantFrom('start', 'fail', 'succeed', 'release', 'wait');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let now = 1;
      const breaker = new CircuitBreaker(upstreamLimits, () => now);
      let isProbing = false;
      for (const name of steps) {
        if (name === 'wait') now += 700;
        if (name === 'start' && breaker.isClosed) {
          const isProbe = breaker.state !== 'closed';
          expect(isProbe && isProbing).toBe(false);
          breaker.started();
          isProbing = isProbe;
        }
        if (name === 'fail') breaker.failed();
        if (name === 'succeed') breaker.succeeded();
        if (name === 'release') breaker.released();
        if (name !== 'start' && name !== 'wait') isProbing = false;
      }
    }),
  );
});
