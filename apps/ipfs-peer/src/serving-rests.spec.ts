import { expect, test } from '@jest/globals';
import { ServingRests } from './serving-rests.ts';

/** Rests over a simulated thread. `work` runs it for a time, of which a share is spent waiting for a processor. */
function simulated() {
  let now = 0;
  let times: { ran: number; waited: number } | undefined = { ran: 0, waited: 0 };
  const rests = new ServingRests(
    () => times,
    () => now,
  );
  const work = (ms: number, waitShare: number) => {
    now += ms;
    if (times !== undefined) times = { ran: times.ran + ms * (1 - waitShare), waited: times.waited + ms * waitShare };
    return rests.next();
  };
  return { rests, work, pass: (ms: number) => (now += ms), hide: () => (times = undefined) };
}

test('the server does not rest while no service stores content, or no other work needs the processor', () => {
  const { rests, work } = simulated();
  for (let call = 0; call < 20; call++) expect(work(25, 0.5)).toBe(0);
  rests.reported();
  for (let call = 0; call < 20; call++) expect(work(25, 0.005)).toBe(0);
});

test('messages begin at a third of the rate of their work while the thread waits, also short ones', () => {
  const { rests, work } = simulated();
  for (let call = 0; call < 20; call++) {
    rests.reported();
    work(25, 0.4);
  }
  expect(work(25, 0.4)).toBeCloseTo(3 * 25 * 0.6, 6);
  expect(work(2, 0.4)).toBeCloseTo(3 * 2 * 0.6, 6);
  expect(work(0.1, 0.4)).toBe(1);
  expect(work(300, 0.4)).toBe(60);
});

test('the gap grows with the share of waiting', () => {
  const { rests, work } = simulated();
  const gapAt = (share: number) => {
    for (let call = 0; call < 30; call++) {
      rests.reported();
      work(20, share);
    }
    return work(20, share) / (20 * (1 - share));
  };
  const gaps = [0.05, 0.1, 0.15].map(gapAt);
  expect(gaps.map((gap) => Math.round(10 * gap))).toEqual([15, 20, 25]);
});

test('rests end with the wait, and a second after the last report', () => {
  const { rests, work, pass } = simulated();
  rests.reported();
  for (let call = 0; call < 10; call++) work(25, 0.4);
  expect(work(25, 0.4)).toBeGreaterThan(0);
  expect(Array.from({ length: 15 }, () => work(25, 0)).at(-1)).toBe(0);
  for (let call = 0; call < 5; call++) work(25, 0.4);
  expect(work(25, 0.4)).toBeGreaterThan(0);
  pass(1000);
  expect(work(25, 0.4)).toBe(0);
});

test('the server does not rest where the system reports no times', () => {
  const { rests, work, hide } = simulated();
  hide();
  rests.reported();
  for (let call = 0; call < 10; call++) expect(work(25, 0.5)).toBe(0);
});
