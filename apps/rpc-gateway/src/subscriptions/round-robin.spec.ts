import { expect, test } from '@jest/globals';
import { RoundRobin } from './round-robin.ts';

const loopTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('RoundRobin runs one step of each job in turn, at most 16 per turn of the event loop', async () => {
  const scheduler = new RoundRobin(() => {});
  const seen: string[] = [];
  function* job(name: string) {
    for (let step = 0; step < 100; step++) yield seen.push(name);
  }
  scheduler.add(job('a'));
  scheduler.add(job('b'));
  expect(seen).toEqual([]);
  await loopTurn();
  expect(seen.length).toBeLessThanOrEqual(16);
  while (seen.length < 200) await loopTurn();
  expect(seen.slice(0, 6)).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  expect(seen.filter((name) => name === 'a')).toHaveLength(100);
});

test('RoundRobin reports and ends a job that throws, and continues the others', async () => {
  const errors: unknown[] = [];
  const scheduler = new RoundRobin((error) => errors.push(error));
  const seen: number[] = [];
  scheduler.add(
    (function* () {
      yield;
      throw new Error('planted');
    })(),
  );
  scheduler.add(
    (function* () {
      for (let step = 0; step < 50; step++) yield seen.push(step);
    })(),
  );
  for (let tries = 0; seen.length < 50 && tries < 100; tries++) await loopTurn();
  expect(seen).toHaveLength(50);
  expect(errors).toEqual([new Error('planted')]);
});
