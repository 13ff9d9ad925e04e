import { expect, test } from '@jest/globals';
import { SlicedSteps, type Steps } from './sliced-steps.ts';

function* busy(name: string, milliseconds: number, log: string[]): Steps<string> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    if (log.at(-1) !== name) log.push(name);
    yield;
  }
  return name;
}

test('short work ends within the call', () => {
  const work = new SlicedSteps();
  let steps = 0;
  void work.run(
    (function* (): Steps {
      for (; steps < 100; steps++) yield;
    })(),
  );
  expect(steps).toBe(100);
});

test('long work of several callers continues in turn, and other events are handled in between', async () => {
  const work = new SlicedSteps();
  const log: string[] = [];
  const timer = setInterval(() => log.push('event'), 1);
  const results = await Promise.all(['a', 'b', 'c'].map((name) => work.run(busy(name, 120, log))));
  clearInterval(timer);
  expect(results).toEqual(['a', 'b', 'c']);
  expect(log.filter((name) => name === 'event').length).toBeGreaterThan(2);
  // Each caller gets a share before the first one ends.
  const lastOfA = log.lastIndexOf('a');
  expect(log.indexOf('b')).toBeLessThan(lastOfA);
  expect(log.indexOf('c')).toBeLessThan(lastOfA);
});

test('work of one group runs one after another, and another group does not wait for its end', async () => {
  const work = new SlicedSteps();
  const log: string[] = [];
  const names = ['a1', 'a2', 'a3', 'a4'];
  const ended: string[] = [];
  const all = names.map((name) => work.run(busy(name, 40, log), 'a').then(() => ended.push(name)));
  const failing = work
    .run(
      (function* (): Steps {
        yield;
        throw new Error('a step failed');
      })(),
      'a',
    )
    .catch(() => ended.push('failed'));
  const last = work.run(busy('a5', 10, log), 'a').then(() => ended.push('a5'));
  await work.run(busy('b', 20, log), 'b');
  expect(ended).not.toContain('a3');
  await Promise.all([...all, failing, last]);
  expect(ended).toEqual([...names, 'failed', 'a5']);
  expect(log.filter((name, at) => name !== 'b' && log.indexOf(name) === at)).toEqual([...names, 'a5']);
  for (const [at, name] of names.entries())
    expect(log.lastIndexOf(name)).toBeLessThan(log.indexOf(names[at + 1] ?? 'a5'));
});

test('the error of a step rejects only its own call', async () => {
  const work = new SlicedSteps();
  const log: string[] = [];
  const failing = work.run(
    (function* (): Steps {
      yield* busy('a', 30, log);
      throw new Error('a step failed');
    })(),
  );
  const other = work.run(busy('b', 30, log));
  await expect(failing).rejects.toThrow('a step failed');
  expect(await other).toBe('b');
});
