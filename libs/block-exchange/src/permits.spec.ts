import { expect, test } from '@jest/globals';
import { LanePermits } from './permits.ts';

/** Starts work that waits until it is released by its name. */
function start(permits: LanePermits, started: string[]) {
  const ends = new Map<string, () => void>();
  const run = (lane: string, name: string, signal?: AbortSignal) =>
    permits.run(lane, signal, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };
  return { run, end };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a lane with much waiting work delays another by one turn', async () => {
  const started: string[] = [];
  const permits = new LanePermits({ permits: 2 });
  const { run, end } = start(permits, started);
  for (let index = 0; index < 1000; index++) void run('a', `a${index}`);
  void run('b', 'b0');
  await turn();
  await end('a0');
  await end('a1');
  expect(started).toEqual(['a0', 'a1', 'a2', 'b0']);
  expect([permits.running, permits.waiting]).toEqual([2, 997]);
});

test('a lane never has more than its permits', async () => {
  const started: string[] = [];
  const { run, end } = start(new LanePermits({ permits: 3, permitsPerLane: 2 }), started);
  for (const name of ['a0', 'a1', 'a2']) void run('a', name);
  void run('b', 'b0');
  await turn();
  expect(started).toEqual(['a0', 'a1', 'b0']);
  await end('b0');
  expect(started).toEqual(['a0', 'a1', 'b0']);
  await end('a0');
  expect(started).toEqual(['a0', 'a1', 'b0', 'a2']);
});

test('an aborted caller leaves the queue, and an error returns the permit', async () => {
  const started: string[] = [];
  const permits = new LanePermits({ permits: 1 });
  const { run, end } = start(permits, started);
  void run('a', 'a0');
  await turn();
  const abort = new AbortController();
  const waiting = run('b', 'b0', abort.signal);
  abort.abort(new Error('ended'));
  await expect(waiting).rejects.toThrow('ended');
  await end('a0');
  await expect(permits.run('a', undefined, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect([permits.running, permits.waiting, started]).toEqual([0, 0, ['a0']]);
});
