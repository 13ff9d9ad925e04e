import { describe, expect, test } from '@jest/globals';
import { createMemoryBlockstore, runInSlices, runSync, Slices, withYielding } from './index.ts';
import { rawBlock } from './testing/index.ts';

/** Keeps the thread busy until the slice is over. */
function fillSlice(slices: Slices): void {
  while (!slices.isOver);
}

describe('Slices', () => {
  test('run one at a time: each turn of the event loop has one slice', async () => {
    let turn = 0;
    let isDone = false;
    const count = () => {
      turn++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const turns: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const slices = new Slices();
        fillSlice(slices);
        await slices.step();
        turns.push(turn);
      }),
    );
    isDone = true;
    expect(new Set(turns).size).toBe(turns.length);
  });

  test('do not count a wait as work', async () => {
    const slices = new Slices();
    fillSlice(slices);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setImmediate(resolve));
    expect(slices.isOver).toBe(false);
    fillSlice(slices);
  });

  test('of short work run before those of long work', async () => {
    const long = new Slices();
    for (let taken = 0; taken < 20; taken++) await long.next();
    const others = Array.from({ length: 3 }, () => new Slices());
    for (const other of others) for (let taken = 0; taken < 20; taken++) await other.next();
    const ends: string[] = [];
    const work = (slices: Slices, name: string) => slices.next().then(() => ends.push(name));
    const waiting = [work(long, 'long'), ...others.map((other) => work(other, 'long'))];
    waiting.push(work(new Slices(), 'short'));
    await Promise.all(waiting);
    expect(ends.indexOf('short')).toBeLessThan(2);
  });

  test('are shared by all work of one signal', () => {
    const { signal } = new AbortController();
    expect(Slices.of(signal)).toBe(Slices.of(signal));
    expect(Slices.of(new AbortController().signal)).not.toBe(Slices.of(signal));
    expect(Slices.of(undefined)).toBe(Slices.of(undefined));
  });
});

test('runInSlices returns the result of runSync and steps at each pause', async () => {
  function* work() {
    yield;
    yield;
    return 'done';
  }
  let steps = 0;
  const slices = {
    step: async () => {
      steps++;
    },
  };
  expect([runSync(work()), await runInSlices(work(), slices), steps]).toEqual(['done', 'done', 2]);
});

test('withYielding runs other work between reads of one signal', async () => {
  const store = createMemoryBlockstore();
  const block = rawBlock('a');
  await store.putMany([block]);
  const { signal } = new AbortController();
  const wrapped = withYielding(store);
  let hasRun = false;
  setImmediate(() => {
    hasRun = true;
  });
  while (!hasRun) expect((await wrapped.get(block.cid, { signal })).length).toBe(1);
  expect(hasRun).toBe(true);
});
