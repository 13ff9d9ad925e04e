import { expect, test } from '@jest/globals';
import { Turns } from './turns.ts';

const loopTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('jobs have a step each in turn, a few in one turn of the event loop', async () => {
  const turns = new Turns(() => {});
  const seen: string[] = [];
  function* job(name: string) {
    for (let step = 0; step < 100; step++) yield seen.push(name);
  }
  turns.add(job('a'));
  turns.add(job('b'));
  expect(seen).toEqual([]);
  await loopTurn();
  expect(seen.length).toBeLessThanOrEqual(16);
  while (seen.length < 200) await loopTurn();
  expect(seen.slice(0, 6)).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  expect(seen.filter((name) => name === 'a')).toHaveLength(100);
});

test('a job that throws ends, is reported, and keeps no other from its steps', async () => {
  const errors: unknown[] = [];
  const turns = new Turns((error) => errors.push(error));
  const seen: number[] = [];
  turns.add(
    (function* () {
      yield;
      throw new Error('planted');
    })(),
  );
  turns.add(
    (function* () {
      for (let step = 0; step < 50; step++) yield seen.push(step);
    })(),
  );
  for (let tries = 0; seen.length < 50 && tries < 100; tries++) await loopTurn();
  expect(seen).toHaveLength(50);
  expect(errors).toEqual([new Error('planted')]);
});
