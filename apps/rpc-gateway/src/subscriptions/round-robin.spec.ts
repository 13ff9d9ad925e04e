import { expect, test } from '@jest/globals';
import { RoundRobin } from './round-robin.ts';

const loopTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('RoundRobin gives each job a turn after the other, at most 16 per turn of the event loop', async () => {
  const scheduler = new RoundRobin();
  const seen: string[] = [];
  const job = async (name: string) => {
    for (let step = 0; step < 100; step++) {
      await scheduler.turn();
      seen.push(name);
    }
  };
  const jobs = [job('a'), job('b')];
  expect(seen).toEqual([]);
  await loopTurn();
  expect(seen.length).toBeLessThanOrEqual(16);
  await Promise.all(jobs);
  expect(seen.slice(0, 6)).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  expect(seen).toHaveLength(200);
});

test('RoundRobin continues the other jobs while one waits', async () => {
  const scheduler = new RoundRobin();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const seen: string[] = [];
  const slow = (async () => {
    await scheduler.turn();
    await released;
    seen.push('slow');
  })();
  for (let step = 0; step < 50; step++) {
    await scheduler.turn();
    seen.push('fast');
  }
  release();
  await slow;
  expect(seen).toEqual([...Array(50).fill('fast'), 'slow']);
});
